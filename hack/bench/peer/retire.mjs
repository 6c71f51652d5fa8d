// retire.mjs SCRIPT: the requests and statements of one retirement, by the official Kubernetes client and pg,
// as an in-cluster program would send them. It checks nothing and computes nothing: a real one takes longer.
import { readFile } from "node:fs/promises";
import { AuthorizationV1Api, CoreV1Api, KubeConfig } from "@kubernetes/client-node";
import pg from "pg";

const { api, database, steps } = JSON.parse(await readFile(process.argv[2], "utf8"));
process.env.KUBERNETES_SERVICE_HOST = api.host;
process.env.KUBERNETES_SERVICE_PORT = String(api.port);
const config = new KubeConfig();
config.loadFromCluster(api.root);
const core = config.makeApiClient(CoreV1Api);
const authorization = config.makeApiClient(AuthorizationV1Api);

let session;
async function query(text, values) {
  if (!session) {
    session = new pg.Client({
      host: database.host,
      port: database.port,
      database: database.database,
      user: database.user,
      password: (await readFile(database.password, "utf8")).trimEnd(),
      options: database.options,
      ssl: { ca: await readFile(database.ca, "utf8"), servername: database.server_name },
    });
    await session.connect();
  }
  // pg cannot name a parameter's type beside the text.
  const cast = text.replace(/\$(\d+)/g, (mark, number) => mark + casts[values[number - 1][0]]);
  await session.query(cast, values.length > 0 ? values.map(([, value]) => value) : undefined);
}

const casts = { 0: "", 1000: "::boolean[]", 1009: "::text[]" };

function send({ method, path, body }) {
  if (method === "POST") return authorization.createSelfSubjectAccessReview({ body: JSON.parse(body) });
  const url = new URL(path, "https://api");
  const [, , , , namespace, , name] = url.pathname.split("/");
  if (method === "GET") return core.readNamespacedSecret({ namespace, name });
  const parameters = Object.fromEntries(url.searchParams);
  return core.replaceNamespacedSecret({ namespace, name, body: JSON.parse(body), ...parameters });
}

for (const { request, statement } of steps) {
  await (request ? send(request) : query(statement.text, statement.values));
}
await session.end();
process.exit(0);
