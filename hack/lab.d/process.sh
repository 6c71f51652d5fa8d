# shellcheck shell=bash
# Processes that outlive the script that starts them. DIR/NAME.pid holds the pid and the moment of birth, so a
# pid that the machine has given to another process is not taken for ours. DIR/NAME.log holds what it says.

# start DIR NAME COMMAND...: in a session of its own, without the lab's lock (descriptor 9).
start() {
  local dir=$1 name=$2
  shift 2
  setsid "$@" >>"$dir/$name.log" 2>&1 </dev/null 9>&- &
  echo "$! $(born $!)" >"$dir/$name.pid"
}

# alive DIR/NAME
alive() {
  local pid birth
  [ -s "$1.pid" ] && read -r pid birth <"$1.pid" && [ "$(born "$pid")" = "$birth" ]
}

# born PID: in clock ticks since boot; nothing if the process is gone or only waits to be reaped.
born() {
  local stat
  { stat=$(<"/proc/$1/stat"); } 2>/dev/null || return 0
  read -r -a stat <<<"${stat##*) }" # the name before the bracket may hold anything
  [ "${stat[0]}" = Z ] || echo "${stat[19]}"
}

pid() { cut -d' ' -f1 "$1.pid"; }

# await DIR/NAME SECONDS COMMAND...: until COMMAND succeeds. A process that cannot make it has the last word.
await() {
  local process=$1 end=$((SECONDS + $2))
  shift 2
  until "$@" >/dev/null 2>&1; do
    if ! alive "$process" || [ $SECONDS -ge $end ]; then
      echo "${process##*/} is not ready; its log ends:" >&2
      tail -n 5 "$process.log" >&2
      return 1
    fi
    sleep 0.05
  done
}

# end DIR/NAME...: asks, waits three seconds, insists. SIGINT is PostgreSQL's fast stop and as good as SIGTERM
# for the others. The API server is not waited for longer: it may drain its watches for a minute. A kill that fails
# came too late, and the next look finds the process gone or says that it is still running.
end() {
  local signal process tries living
  for signal in INT KILL; do
    for tries in {1..30}; do
      living=()
      for process in "$@"; do ! alive "$process" || living+=("$(pid "$process")"); done
      [ ${#living[@]} -gt 0 ] || return 0
      [ "$tries" != 1 ] || kill -s $signal "${living[@]}" 2>/dev/null || true
      sleep 0.1
    done
  done
  echo "still running: ${living[*]}" >&2
  return 1
}

# free_port: one nobody listens on, below those that the kernel gives to connections.
free_port() {
  local port
  for port in $(shuf -i 20000-32000 -n 50); do
    grep -qi "^ *[0-9]*: [0-9A-F]*:$(printf %04X "$port") " /proc/net/tcp /proc/net/tcp6 || break
  done
  echo "$port"
}
