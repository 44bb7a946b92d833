.PHONY: run generate test e2e lint bench

run:
	go run ./cmd/server

generate:
	go tool templ generate

test:
	go vet ./...
	go tool templ generate && git diff --exit-code -- '*_templ.go'
	go test -race -shuffle=on ./...
	@if command -v node >/dev/null; then node --test 'static/**/*.test.js'; else echo 'skipped: the JavaScript tests need node'; fi

e2e:
	go test -count=1 -run E2E -v ./web/...

lint:
	go tool staticcheck ./... && test -z "$$(go tool gofumpt -l . | tee /dev/stderr)"
	@if [ -f package.json ]; then npx tsc -p .; fi

bench:
	go test -run '^$$' -bench . -benchmem ./...
