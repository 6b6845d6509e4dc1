# Everything a newcomer types. CONTEXT=name uses a cluster of yours; NODE=1 is for the real node, once it is there.
.PHONY: install up down test test-go e2e check bench soak clean

NODE_BIN := node_modules/.bin
RUN := PATH="$(CURDIR)/$(NODE_BIN):$$PATH"

install: node_modules/.installed

# Not `npm ci`: see docs/decisions/0021-npm-install-not-npm-ci.md.
node_modules/.installed: package.json package-lock.json
	npm install --prefer-offline --no-audit --no-fund --loglevel=error
	@touch $@

up: install
	./bin/tenon up $(if $(CONTEXT),--context $(CONTEXT))

down: install
	./bin/tenon down

check: install
	$(RUN) npm run --silent check

test: check test-go
	$(RUN) vitest run --project live

# Only the packages that are small: the rest of cluster/ is Kubernetes, and is tested by running it.
test-go:
	cd cluster && GOFLAGS=-mod=readonly GODEBUG=http2client=0 go test -v ./atomicfile ./instance ./pki

e2e: install
	$(RUN) vitest run --project e2e

bench: install
	$(RUN) node bench/run.ts

soak: install
	$(RUN) TENON_SOAK=1 vitest run --project live

clean:
	rm -rf node_modules coverage build
