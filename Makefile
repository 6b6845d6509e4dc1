# The commands of CONTRIBUTING.md. CONTEXT=name uses your own cluster; NODE=1 adds a real node, which needs root.
.PHONY: install node-programs console-packages up down check-console test test-live test-go e2e check bench soak clean

NODE_BIN := node_modules/.bin
RUN := PATH="$(CURDIR)/$(NODE_BIN):$$PATH"

install: node_modules/.installed

# Not `npm ci`: see docs/decisions/0021-npm-install-not-npm-ci.md.
node_modules/.installed: package.json package-lock.json
	npm install --prefer-offline --no-audit --no-fund --loglevel=error
	@touch $@

up: install
	./bin/tenon up $(if $(CONTEXT),--context $(CONTEXT)) $(if $(NODE),--node)

down: install
	./bin/tenon down

check: install
	$(RUN) npm run --silent check

# All parts run, also after one has failed, so that one run shows everything that is wrong.
test: install
	@failed=; for part in check test-go test-live; do $(MAKE) --no-print-directory $$part || failed="$$failed $$part"; done; \
		[ -z "$$failed" ] || { echo "make test: failed:$$failed" >&2; exit 1; }

test-live: install
	$(RUN) vitest run --project live

# Not cluster/ itself: that is Kubernetes, and is tested by running it. The flags are those of the build (cluster/gcflags),
# and vet is off: else Go would compile the libraries of Kubernetes once more.
test-go:
	cd cluster && sed -n 's/^[^#]/-gcflags=&/p' gcflags | GOFLAGS=-mod=readonly GODEBUG=http2client=0 CGO_ENABLED=0 \
		xargs -d '\n' sh -c 'go test -v -trimpath -vet=off "$$@" \
		./atomicfile ./dns ./forward ./instance ./machine ./node ./pki ./policies ./registry ./volumes' test-go

# A real node runs Debian's containerd, runc and network plugins; the example apparatus works on Debian's PostgreSQL,
# images are copied to Debian's docker-registry, words are completed in zsh and fish, and the console is shown in chromium.
NODE_PACKAGES := containerd runc containernetworking-plugins iptables iproute2 procps postgresql docker-registry zsh fish \
	chromium fonts-dejavu-core

node-programs:
	@dpkg -s $(NODE_PACKAGES) > /dev/null 2>&1 || { \
		echo "the real node and its tests need Debian packages that are not all there: $(NODE_PACKAGES)"; \
		apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $(NODE_PACKAGES); \
	}

# The workspace of the console has packages of its own, which nothing else needs. --no-save: the lock file stays as it is.
console-packages: console/node_modules/.installed

console/node_modules/.installed: console/package.json console/package-lock.json
	cd console && npm install --no-save --prefer-offline --no-audit --no-fund --loglevel=error
	@touch $@

# Not part of `check`: it needs the packages of the console, and the root does not.
check-console: install console-packages
	$(RUN) tsc --project console/tsconfig.json
	$(RUN) oxlint --type-aware --max-warnings 0 console

# One after the other: they need different clusters.
e2e: install node-programs console-packages
	@failed=; $(MAKE) --no-print-directory check-console || failed=" check-console"; \
		for project in e2e browser; do $(RUN) vitest run --project $$project || failed="$$failed $$project"; done; \
		[ -z "$$failed" ] || { echo "make e2e: failed:$$failed" >&2; exit 1; }

bench: install
	$(RUN) node bench/run.ts

soak: install
	$(RUN) TENON_SOAK=1 vitest run --project live

clean:
	rm -rf node_modules console/node_modules coverage build
