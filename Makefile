.PHONY: run generate test test-race test-browser test-plain test-modules quick torture fuzz e2e lint bench bench-page

run:
	go run ./cmd/server

generate:
	cd templates && go tool templ generate
	go run ./cmd/internal/rooms

# The race detector makes code five to ten times slower. Packages that start no
# goroutine gain nothing from it. Neither do tests that drive a built program,
# those of cmd/server/e2e and cmd/collie and in the browser; test-race runs some of the former
# against a program that was built with it.
plain = ./cmd/internal/measure ./crf/... ./disjoint ./herding/... ./segment/learn ./segment/timeline ./superpixels/...
client = ./cmd/collie
program = ./cmd/server/e2e
browser = ./web/e2e
# The target test has vetted everything before. Test programs that nobody debugs
# need no symbols; without them each links in two thirds of the time. What has been
# compiled serves every checkout, and the programs that tests build, if it doesn't hold
# the folder's name.
lean = -ldflags=-s
test test-race test-browser test-plain quick: export GOFLAGS := $(shell go env GOFLAGS) -trimpath
go-test = go test $(lean) -vet=off -shuffle=on -timeout 28m
# These tests compute for a long time in one goroutine, or in several that a shorter
# test has, too. Tests beside them have several, so test-race leaves out these alone
# and test-plain runs them.
alone = ^Test(AffinitiesAtTwoServers|Footprint|FootprintOfALongPast|HypothesesKeepWhatWasSaid|DivisionsDependOnNothingElse|Likenesses|TwoHalves|Methods|OrderOfMethodsOnPhotographs|BadInput|Train|ShapesCoverTheirImageTooOften|Extents|WorkbenchIsBounded|GoldenDigestsWithFusedMultiplyAdd|HeavySteps)$$
# Other people's code where test-race would spend half of its time: the database, the bundler
# and the codecs are compiled without the detector. Ours is compiled without its
# check of unsafe pointers, which the product doesn't have: each conversion of the
# bits of a float would pay for it. In GOFLAGS these flags hold for programs that tests
# build, too: for those with the detector, but others would be compiled from nothing.
unwatched = modernc.org/... github.com/evanw/esbuild/... compress/... image/... golang.org/x/image/... golang.org/x/crypto/argon2
partly = $(unwatched:%=-gcflags=%=-race=false) -gcflags=collie/...=-d=checkptr=0

test:
	go vet ./...
	@before=$$(cat templates/*_templ.go docs/rooms.svg | cksum); $(MAKE) -s generate; test "$$before" = "$$(cat templates/*_templ.go docs/rooms.svg | cksum)" || { echo 'templates/*_templ.go or docs/rooms.svg were out of date; now they are not: commit them'; exit 1; }
	@$(MAKE) -s -j 2 -k test-race test-browser test-plain test-modules

# Short-lived programs with small heaps would collect their garbage all the time.
# The tests of memory are among those of the plain and the built programs.
test-race test-browser quick: export GOGC := 400
# Their files are in memory where it has room for them and programs can run from
# there. Tests of crashes bring disks of their own.
memory := $(shell test "$$(df -k --output=avail /dev/shm 2>/dev/null | tail -n 1)" -gt 8000000 2>/dev/null && ! grep -q ' /dev/shm .*noexec' /proc/mounts && echo /dev/shm)
test-race test-browser quick: export TMPDIR := $(or $(TMPDIR),$(memory),/tmp)
test-race:
	go list ./... | grep -vxF "$$(go list $(plain) $(client) $(program) $(browser))" | xargs $(go-test) -race $(partly) -skip '$(alone)'
	GOFLAGS="$$GOFLAGS $(partly)" $(go-test) -race -run 'BackupUnderLoad|ServeStopServe|Tabs|Team' $(program)
	$(go-test) -race $(partly) -run MemoryOfOthers ./superpixels

test-browser:
	$(go-test) $(browser)

test-plain:
	$(go-test) $(client) $(program) $(plain)
	$(go-test) -run '$(alone)' ./cmd/evaluate/... ./cmd/internal/training ./segment/simulate ./segment/workspace ./segment/assistant ./segment/engine ./segment/importer/dataset ./segment/learner

test-modules:
	@if command -v node >/dev/null; then node --test --test-reporter=dot static/*.test.js static/*/*.test.js; else echo 'skipped: the tests of the modules in static/ need node'; fi
	@if [ -x static/node_modules/.bin/tsc ]; then cd static && npm run -s check; else echo 'skipped: checking the types of the modules needs npm ci in static/'; fi

quick:
	go test $(lean) -short ./...

fuzz:
	.ci/fuzz 10s

e2e:
	go test -count=1 -v ./web/e2e/...

lint:
	go tool staticcheck ./... && test -z "$$(go tool gofumpt -l $$(git ls-files '*.go' ':!*_templ.go') | tee /dev/stderr)"
	GOOS=windows go vet ./...
	GOOS=darwin go vet ./...

bench:
	go test -run '^$$' -bench . -benchmem ./...

bench-page:
	go test -count=1 -v -run TestE2ESpeed ./web/e2e -speed

torture:
	COLLIE_TORTURE=1 go test -count=1 -timeout 3h -v -run 'Kill|PowerCut|Cluster|Crashes|Disk|Broken|ReadOnly|Backup|Restart|Tabs|Greatest|Appetite' ./storage/... ./cmd/server/e2e
