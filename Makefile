.PHONY: run generate test quick torture fuzz e2e lint bench bench-page

run:
	go run ./cmd/server

generate:
	cd templates && go tool templ generate
	go run ./cmd/internal/rooms

# Packages that start no goroutine, and the tests that drive a browser, gain
# nothing from the race detector, which makes them five to ten times slower.
plain = ./crf/... ./disjoint ./herding/... ./superpixels/... ./web/e2e

test:
	go vet ./...
	@before=$$(cat templates/*_templ.go docs/rooms.svg | sha256sum); $(MAKE) -s generate; test "$$before" = "$$(cat templates/*_templ.go docs/rooms.svg | sha256sum)" || { echo 'templates/*_templ.go or docs/rooms.svg were out of date; now they are not: commit them'; exit 1; }
	go test -shuffle=on -timeout 20m $(plain)
	go list ./... | grep -vxF "$$(go list $(plain))" | xargs go test -race -shuffle=on -timeout 20m
	@if command -v node >/dev/null; then node --test --test-reporter=dot static/*.test.js static/*/*.test.js; else echo 'skipped: the tests of the modules in static/ need node'; fi
	@if [ -x static/node_modules/.bin/tsc ]; then cd static && npm run -s check; else echo 'skipped: checking the types of the modules needs npm ci in static/'; fi

quick:
	go test -short ./...

fuzz:
	.ci/fuzz 20s

e2e:
	go test -count=1 -v ./web/e2e/...

lint:
	go tool staticcheck ./... && test -z "$$(go tool gofumpt -l $$(git ls-files '*.go' ':!*_templ.go') | tee /dev/stderr)"

bench:
	go test -run '^$$' -bench . -benchmem ./...

bench-page:
	go test -count=1 -v -run TestE2ESpeed ./web/e2e -speed

torture:
	COLLIE_TORTURE=1 go test -count=1 -timeout 3h -v -run 'Kill|PowerCut|Disk|Broken|ReadOnly|Backup|Restart|Tabs|Greatest' ./storage/... ./cmd/server
