.PHONY: run generate test e2e lint bench

run:
	go run ./cmd/server

generate:
	cd templates && go tool templ generate

test:
	go vet ./...
	@before=$$(cat templates/*_templ.go | sha256sum); $(MAKE) -s generate; test "$$before" = "$$(cat templates/*_templ.go | sha256sum)" || { echo 'templates/*_templ.go were out of date; now they are not: commit them'; exit 1; }
	go test -race -shuffle=on ./...
	@if command -v node >/dev/null; then node --test static/modules/*.test.js; else echo 'skipped: the tests of the modules in static/ need node'; fi

e2e:
	go test -count=1 -v ./web/e2e/...

lint:
	go tool staticcheck ./... && test -z "$$(go tool gofumpt -l $$(git ls-files '*.go') | tee /dev/stderr)"
	@if [ -x static/node_modules/.bin/tsc ]; then cd static && npm run check; else echo 'skipped: the types of static/ need npm ci in static/'; fi

bench:
	go test -run '^$$' -bench . -benchmem ./...
