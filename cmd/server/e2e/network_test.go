package e2e

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
)

// toxics are the faults that a network can add to connections.
var toxics = []string{
	`{"type":"latency","stream":"downstream","attributes":{"latency":30,"jitter":30}}`,
	`{"type":"latency","stream":"upstream","attributes":{"latency":30,"jitter":30}}`,
	`{"type":"latency","stream":"downstream","name":"far","attributes":{"latency":200,"jitter":100}}`,
	`{"type":"slicer","stream":"downstream","attributes":{"average_size":20,"size_variation":10,"delay":100}}`,
	`{"type":"limit_data","stream":"upstream","attributes":{"bytes":600}}`,
	`{"type":"limit_data","stream":"downstream","attributes":{"bytes":4000}}`,
	`{"type":"reset_peer","stream":"downstream","attributes":{"timeout":50}}`,
	`{"type":"timeout","stream":"upstream","attributes":{"timeout":100}}`,
	`{"type":"bandwidth","stream":"downstream","attributes":{"rate":20}}`,
}

// network is a way to the server whose quality changes. Each time the proxy is
// recreated and all connections break: toxics can't be taken from live ones
// reliably.
type network struct {
	tb       testing.TB
	server   *toxiproxy.ApiServer
	upstream string
	address  string // where the tabs find it
	proxy    *toxiproxy.Proxy
}

// change breaks all connections; new ones get the given toxics.
func (n *network) change(toxics ...string) {
	n.stop()
	n.proxy = toxiproxy.NewProxy(n.server, "network", n.address, n.upstream)
	for _, toxic := range toxics {
		if _, err := n.proxy.Toxics.AddToxicJson(strings.NewReader(toxic)); err != nil {
			n.tb.Error(err)
		}
	}
	// A program that is just being started beside this one holds the closed socket
	// until it has begun.
	err := n.proxy.Start()
	for began := time.Now(); err != nil && time.Since(began) < 10*time.Second; err = n.proxy.Start() {
		time.Sleep(10 * time.Millisecond)
	}
	if err != nil {
		n.tb.Errorf("the proxy does not come back: %v", err)
	}
}

func (n *network) stop() {
	if n.proxy != nil {
		n.proxy.Stop()
	}
}

// torment makes the network flaky for a while and then reliable again. On a busy
// machine it goes on, ever more slowly, until enough has happened.
func (n *network) torment(d time.Duration, enough func() bool) {
	longest := 300 * time.Millisecond
	for began := time.Now(); time.Since(began) < d || !enough() && time.Since(began) < d+time.Minute; time.Sleep(50*time.Millisecond + rand.N(longest)) {
		if time.Since(began) > d {
			longest *= 2
		}
		first, second := rand.IntN(len(toxics)), rand.IntN(len(toxics))
		if first == second {
			n.change(toxics[first])
		} else {
			n.change(toxics[first], toxics[second])
		}
	}
	n.change()
}
