package e2e

import (
	"context"

	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// separately loads the annotation page again with its modules one by one, now and after
// later reloads, so that a test can get at them by their addresses: nobody can in a bundle.
func (p *page) separately() {
	p.t.Helper()
	err := chromedp.Listen(p.ctx, func(event any) {
		if e, ok := event.(*fetch.EventRequestPaused); ok {
			go p.unbundle(e.RequestID) // not here, where its answer would have to wait for itself
		}
	})
	if err != nil {
		p.t.Fatalf("listening to requests: %v", err)
	}
	p.do("loading modules one by one", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, fetch.Enable, fetch.EnableParams{Patterns: []*fetch.RequestPattern{{URLPattern: "*/pages/annotate.js"}}})
		return err
	}), chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, network.SetCacheDisabled, network.SetCacheDisabledParams{CacheDisabled: true}) // which has the bundle
		return err
	}), chromedp.Reload())
	p.until(`document.readyState === 'complete' && document.getElementById('save').dataset.state === 'saved'`)
	p.listen()
}

// unbundle answers a request of the bundle with the module that it is made from.
func (p *page) unbundle(request fetch.RequestID) {
	_, err := chromedp.Run(p.ctx, chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, fetch.FulfillRequest, fetch.FulfillRequestParams{
			RequestID: request, ResponseCode: 200, Body: []byte(`import '../annotate/annotate.js';`),
			ResponseHeaders: []*fetch.HeaderEntry{{Name: "Content-Type", Value: "text/javascript"}},
		})
		return err
	}))
	if err != nil && p.ctx.Err() == nil {
		p.t.Errorf("answering with modules: %v", err)
	}
}
