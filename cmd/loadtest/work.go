package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/jpeg"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/disintegration/imaging"

	"collie/cmd/internal/progress"
	"collie/segment/simulate"
)

// grace is how long to wait for answers after the last click.
const grace = 10 * time.Second

// work lets all annotators, uploads and quiet sockets run to the end of the
// last phase.
func (p *plan) work(ctx context.Context, s *server, pool []*target, r *recorder, to io.Writer) error {
	var large []byte
	if p.Uploads > 0 {
		var err error
		if large, err = p.large(); err != nil {
			return err
		}
	}
	asked := ctx
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var all sync.WaitGroup
	var quiet sync.WaitGroup
	for i := range p.Idle {
		pg, err := dial(ctx, s, pool[i%len(pool)], r, time.Now(), false)
		if err != nil {
			return fmt.Errorf("quiet socket %d: %w", i, err)
		}
		quiet.Go(func() { <-ctx.Done(); pg.close() })
	}
	free := make(chan *target, len(pool))
	for _, t := range pool[p.images():] {
		free <- t
	}
	start := time.Now()
	for i := range p.Annotators {
		a := &annotator{
			plan: p, server: s, recorder: r, number: i, start: start, free: free, target: pool[i/p.Together],
			hand: p.hand(i, r), rng: rand.New(rand.NewPCG(p.Seed, ^uint64(i))),
		}
		all.Go(func() { a.work(ctx) })
	}
	all.Go(func() {
		if sleep(ctx, start, r.end()-settle/10) {
			r.vitals = s.vitals(ctx) // with all sockets still open
		}
	})
	if p.Uploads > 0 {
		all.Go(func() { p.upload(ctx, s, r, large, start) })
	}
	finished := make(chan struct{})
	go func() { all.Wait(); close(finished) }()
	watch(to, r, start, finished)
	stop()
	quiet.Wait()
	return asked.Err()
}

// watch moves the progress bar until the work is finished.
func watch(to io.Writer, r *recorder, start time.Time, finished chan struct{}) {
	bar := progress.NewBar(to, "clicking", int(r.end().Seconds()))
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	defer bar.Clear()
	for {
		select {
		case <-tick.C:
			clicks, acks := r.sofar()
			past := time.Since(start).Round(time.Second)
			bar.Say(int(past.Seconds()), fmt.Sprintf("%v of %v, %d clicks, %d not yet acknowledged", past, r.end(), clicks, clicks-acks))
		case <-finished:
			return
		}
	}
}

// sleep waits until a time after the start; false says that ctx ended before.
func sleep(ctx context.Context, start time.Time, until time.Duration) bool {
	t := time.NewTimer(time.Until(start.Add(until)))
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// upload sends the large photograph again and again, whether or not those
// before have been answered.
func (p *plan) upload(ctx context.Context, s *server, r *recorder, file []byte, start time.Time) {
	var flying sync.WaitGroup
	defer flying.Wait()
	gap := time.Duration(float64(time.Second) / p.Uploads)
	for due := gap; due < r.end() && sleep(ctx, start, due); due += gap {
		flying.Go(func() {
			limit, cancel := context.WithTimeout(ctx, time.Minute)
			defer cancel()
			_, err := s.upload(limit, "large.jpg", file)
			var no *refusal
			switch {
			case err == nil:
				r.time(sent, due, time.Since(start)-due)
				r.count("uploads", due)
			case errors.As(err, &no) && no.status == http.StatusTooManyRequests:
				r.count("uploads told to wait", due)
			default:
				r.fail("uploads failed", err, due)
			}
		})
	}
}

// large is a JPEG of the requested size, made from the first photograph.
func (p *plan) large() ([]byte, error) {
	list, err := simulate.Pictures(p.Data, 1)
	if err != nil {
		return nil, err
	}
	img, err := list[0].Load()
	if err != nil {
		return nil, err
	}
	size := img.Rect.Size()
	scale := math.Sqrt(p.Megapixels * 1e6 / float64(size.X*size.Y))
	var b bytes.Buffer
	err = jpeg.Encode(&b, imaging.Resize(img, int(float64(size.X)*scale), int(float64(size.Y)*scale), imaging.CatmullRom), nil)
	return b.Bytes(), err
}
