# The menu. Every target is a line over cargo or hack/; `make` alone prints it.
.DEFAULT_GOAL := help
.PHONY: help demo test fence live lint release image image-check bench deps lab lab-down ci clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

demo: deps ## retire a key for real, on this machine, and see each step
	hack/demo

test: deps ## everything that proves the rules (needs the lab, and starts it)
	hack/test

fence: deps release ## the network barrier against real rules: as root, in namespaces of its own
	hack/fence

live: deps release ## the bundle in a whole cluster: what must be refused, and the live gate's reports; as root
	hack/live

lint: deps ## formatting, clippy, shell scripts, dependencies
	hack/lint

release: deps ## the static binary, as it goes into the image
	hack/release

image: deps ## the image, as an OCI layout and an archive, in target/image/amd64
	hack/image

image-check: image ## what must hold of the image; also makes it from the Dockerfile's last stage (as root)
	@hack/prepare buildah
	hack/verify-image

bench: release ## ours beside its floor and its peer, in one run
	hack/lab up
	hack/bench/run

lab: deps ## start the API server and the database that tests and demo use
	hack/lab up

lab-down: ## stop them
	hack/lab down

deps: ## install what is missing: Debian packages (as root), the Rust target
	@hack/prepare

ci: ## what CI runs
	.ci/run

clean: ## remove what was built here; the caches stay
	cargo clean
