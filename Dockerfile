# The image that hack/image makes, for those who have a builder and a registry (docs/image.md says which lines CI runs):
#
#   docker build --build-arg REVISION="$(git rev-parse HEAD)" --build-arg SOURCE_DATE_EPOCH="$(git log -1 --format=%ct)" .

# The builder is always amd64: it compiles for both. A release pins the tag's digest.
# hadolint ignore=DL3029
FROM --platform=linux/amd64 rust:1.95.0-slim-bookworm AS builder
# The distribution keeps one version of each.
# hadolint ignore=DL3008
RUN apt-get update \
  && apt-get install --yes --no-install-recommends gcc-aarch64-linux-gnu libc6-dev-arm64-cross musl-tools python3 \
  && rm -rf /var/lib/apt/lists/* \
  && rustup target add x86_64-unknown-linux-musl aarch64-unknown-linux-musl
WORKDIR /source
# The tool that embeds the list of crates, before the sources: it is compiled once.
COPY hack/cargo-tool hack/cargo-tools.txt hack/
RUN hack/cargo-tool cargo-auditable
COPY . .
ARG TARGETARCH=amd64
ARG REVISION=unknown
ARG SOURCE_DATE_EPOCH=0
# The image's own compiler; rust-toolchain.toml would have rustup fetch linters too.
RUN RUSTUP_TOOLCHAIN=1.95.0 QL3_REVISION="$REVISION" hack/image --arch "$TARGETARCH" --out /image

FROM scratch
ARG REVISION=unknown
LABEL org.opencontainers.image.description="One-shot operations for QingLong 3 on Kubernetes: retire a key, deploy a release, stop a Run" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.revision="$REVISION" \
      org.opencontainers.image.title="qinglong3-cluster-admin" \
      org.opencontainers.image.version="0.1.0"
COPY --from=builder --chown=0:0 /image/rootfs/ /
USER 10001:10001
ENTRYPOINT ["/ql3-ops"]
