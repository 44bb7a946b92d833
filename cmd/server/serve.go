package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"collie/cmd/server/listen"
	"collie/segment"
	"collie/segment/audit"
	"collie/segment/export/jobs"
	"collie/segment/schedule"
	"collie/segment/workspace"
	"collie/storage/disk"
	"collie/web"
	"collie/web/metrics"
	"collie/web/openid"
)

// failedGrace is time for answers on their way when the data can't be used any more.
const failedGrace = 3 * time.Second

// patience is how long a start takes before the log says why it may.
const patience = 3 * time.Second

// serveCommand serves one data folder; each flag has an environment variable.
type serveCommand struct {
	Listen string `default:"127.0.0.1:8080" env:"COLLIE_LISTEN" help:"Address and port to listen on; port 0 picks a free one."`
	accessFlags
	openidFlags
	listen.HTTPS
	dataFlag
	CacheSize size `default:"4GiB" env:"COLLIE_CACHE_SIZE" group:"limits" help:"With --blobs: size of the files of images that are kept in the data folder, so that they need not be fetched from the bucket each time. 0 keeps none."`
	drainFlag
	affinitiesFlag
	listen.Profiles
	serveLimits
}

// Validate checks the flags of all parts; without it Go would promote none of
// their Validate methods, because there are several.
func (s *serveCommand) Validate() error {
	return cmp.Or(s.HTTPS.Validate(), s.drainFlag.Validate(), s.serveLimits.Validate())
}

// Run serves until ctx is done. It writes one line to standard output once it
// accepts connections, and log lines to standard error. When the disk fails, or a
// newer program makes the database unfit, it refuses all changes, stops and returns why.
func (s *serveCommand) Run(ctx context.Context, out streams) (err error) {
	r := &running{
		serveCommand: s, log: slog.New(slog.NewTextHandler(out.stderr, nil)),
		figures: metrics.New(), turns: schedule.Limits{}.OrDefault(),
	}
	defer func() { err = errors.Join(err, r.end()) }()
	if err := r.open(ctx); err != nil {
		return err
	}
	if err := r.assemble(ctx); err != nil {
		return err
	}
	address, err := r.listen()
	if err != nil {
		return err
	}
	where := s.Data
	if s.Database != "" {
		where = "a database and a bucket; its own files are in " + where
	}
	fmt.Fprintf(out.stdout, "Collie is at %s and keeps its data in %s\n", address, where)
	return r.wait(ctx)
}

// running is a server from its start to its end.
type running struct {
	*serveCommand
	log      *slog.Logger
	figures  *metrics.Metrics
	turns    schedule.Limits
	config   web.Config
	provider *openid.Provider // nil without one
	data     *data
	site     *web.Server
	server   *http.Server
	served   chan error     // why the server accepts no more connections
	ends     []func() error // what has begun, in this order
}

// ending notes how what has begun ends.
func (r *running) ending(end func() error) { r.ends = append(r.ends, end) }

// stopping is ending for what ends without an error.
func (r *running) stopping(stop func()) { r.ending(func() error { stop(); return nil }) }

// end ends what has begun, the last first.
func (r *running) end() (err error) {
	for _, end := range slices.Backward(r.ends) {
		err = errors.Join(err, end())
	}
	return err
}

// open checks the flags and opens the data.
func (r *running) open(ctx context.Context) error {
	var err error
	if r.config, err = r.accessFlags.config(r.Listen); err != nil {
		return err
	}
	r.config.HTTPS = r.HTTPS.Enabled()
	if err := r.dataFlag.check(); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(r.Data, databaseFile)); r.Auth && r.Database == "" && errors.Is(err, fs.ErrNotExist) && r.elsewhere() == nil {
		return r.noUsers() // before anything is made
	}
	affinities, err := r.affinitiesFlag.read()
	if err != nil {
		return err
	}
	if r.provider, err = r.openidFlags.provider(r.Auth, r.config.Origin, r.log); err != nil {
		return err
	}
	r.log.Info("starting", "memory limit", r.applyMemory())
	stopProfiles, err := r.Profiles.Serve(ctx)
	if err != nil {
		return err
	}
	r.stopping(stopProfiles)
	held, err := disk.Hold(r.Data, r.Listen)
	if err != nil {
		return err
	}
	r.ending(held.Close)
	disk.RemoveRemains(r.Data)
	scratch, err := openScratch(r.Data) // first, because the bucket's files pass through it
	if err != nil {
		return err
	}
	r.ending(scratch.Close)
	r.config.Scratch = scratch
	late := time.AfterFunc(patience, func() {
		r.log.Info("still opening the data. It gives up on a database or a bucket that doesn't answer; a database that has to be brought up to date lets others finish first, a long pg_dump for example")
	})
	r.data, err = openData(ctx, r.dataFlag, int64(r.CacheSize), r.photo(), workspace.Options{Schedule: r.turns, Most: mostInUse(), Observer: r.figures, Log: r.log, Affinities: affinities})
	late.Stop()
	if err != nil {
		return err
	}
	r.ending(r.data.Close)
	r.data.store.Synced(r.figures.Synced)
	return r.data.warn(ctx, r.log)
}

// assemble makes the site, and starts what goes on beside it.
func (r *running) assemble(ctx context.Context) error {
	d := r.data
	var err error
	if r.config.Login, err = r.login(ctx, d, r.log); err != nil { // before any work begins
		return err
	}
	// See Scheduler.Long. What is limited to a part of the processors has been made.
	runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + r.turns.Long + 1)
	if d.shared != nil {
		r.stopping(d.shared.WatchSchema())
		r.stopping((&sweeper{d.workspace, d.store, time.Now, r.log}).start(ctx))
	} else {
		r.stopping(startSweeping(ctx, d.workspace, r.Data, r.log))
	}
	d.workspace.LimitImages(r.MaxImages)
	r.config.Workspace, r.config.Ready, r.config.Log = d.workspace, d.Ready, r.log
	r.config.Exports = jobs.New(d.workspace, d.blobs, d.store, r.log)
	r.config.Exports.KeepTo(d.workspace.Long)
	r.config.Limits, r.config.Metrics = r.web(), r.figures
	if r.provider != nil {
		r.config.Login.OpenID = r.provider
		r.stopping(beside(ctx, r.provider.Check))
	}
	if err := d.workspace.Record(ctx, audit.ServerStarted, "", settings(r.Listen, r.config.Login != nil, r.config.Origin, d.blobs)); err != nil {
		r.log.Warn("not in the audit log", "error", err)
	}
	r.stopping(d.workspace.Learner().Start(ctx))
	r.site = web.New(r.config)
	r.stopping(r.site.Close)
	hints, _ := d.store.(workspace.Hints)                                                                    // nil for a database that no other server uses
	r.stopping(d.workspace.Follow(context.WithoutCancel(ctx), workspace.FollowEvery, hints, d.news(r.site))) // also while it drains
	r.figures.Watch(d.workspace, r.site.Sockets)
	return nil
}

// listen starts to serve, and returns under which address.
func (r *running) listen() (address string, err error) {
	r.server = &http.Server{
		Handler:           r.site,
		ReadHeaderTimeout: r.HeaderTimeout,
		ReadTimeout:       r.RequestTimeout,
		WriteTimeout:      r.RequestTimeout,
		IdleTimeout:       r.IdleTimeout,
		MaxHeaderBytes:    int(r.MaxHeader),
		ErrorLog:          slog.NewLogLogger(r.log.Handler(), slog.LevelWarn),
	}
	secured, err := r.HTTPS.Secure(r.Data, r.log)
	if err != nil {
		return "", err
	}
	listener, err := listen.Open("--listen", r.Listen)
	if err != nil {
		return "", err
	}
	stopPlain, err := r.HTTPS.ServePlain(secured, r.config.Origin, listener.Addr(), r.log)
	if err != nil {
		return "", errors.Join(err, listener.Close())
	}
	r.stopping(stopPlain)
	listener = listen.Sparing(listener)
	r.served = make(chan error, 1)
	if secured == nil {
		go func() { r.served <- r.server.Serve(listener) }()
		return "http://" + local(listener.Addr()), nil
	}
	r.server.TLSConfig = secured.Config
	go func() { r.served <- r.server.ServeTLS(listener, "", "") }()
	go secured.Prepare() // nothing waits for it: it can't be stopped, and what it stores appears whole
	return "https://" + local(listener.Addr()), nil
}

// local is an address at which a browser on this machine reaches a listener.
func local(at net.Addr) string {
	if host, port, err := net.SplitHostPort(at.String()); err == nil && listen.Everywhere(host) {
		return net.JoinHostPort("127.0.0.1", port)
	}
	return at.String()
}

// wait waits until ctx is done or nothing can be stored any more, and then stops
// the server.
func (r *running) wait(ctx context.Context) error {
	select {
	case err := <-r.served:
		return err
	case <-ctx.Done():
	case <-r.data.failed():
	case <-r.data.blobs.Failed():
	}
	failure := r.data.Ready(context.WithoutCancel(ctx))
	if failure != nil {
		r.log.Error("nothing can be saved any more, so the server stops", "in", failedGrace, "error", failure)
		time.Sleep(failedGrace)
	} else if drain := r.drainFlag.time(r.Database != ""); drain > 0 {
		r.log.Info("draining: /readyz says no, everything else goes on; a second signal ends it", "for", drain)
		r.data.linger(drain, r.site.Drain)
	}
	r.log.Info("stopping")
	r.site.Close() // first, because Shutdown knows nothing of websockets
	limit, cancel := context.WithTimeout(context.Background(), r.StopTimeout)
	defer cancel()
	if err := r.server.Shutdown(limit); err != nil {
		return errors.Join(failure, err, r.server.Close())
	}
	return failure
}

// news returns what to do with other servers' news.
func (d *data) news(site *web.Server) func(segment.News) {
	return func(n segment.News) {
		switch n.About {
		case segment.UserChanged:
			site.Recheck(n.ID)
		case segment.ImageReviewed:
			site.Reviewed(n.ID)
		case segment.ImageErased:
			if b, ok := d.blobs.(*bucket); ok && b.cache != nil {
				b.cache.Forget((&segment.Image{ID: n.ID}).Keys()...)
			}
		}
	}
}

// warn says what is wrong with a database in the data folder, or what can be lost with
// one that servers share.
func (d *data) warn(ctx context.Context, log *slog.Logger) error {
	if d.local == nil {
		risks, err := d.shared.Risks(ctx)
		for _, risk := range risks {
			log.Warn("the database: " + risk)
		}
		return err
	}
	if err := d.local.Cramped(); err != nil {
		log.Error("the disk is full: nothing can be saved until there is space and the server is restarted", "error", err)
	}
	if kept := d.local.Kept(); kept != "" {
		log.Info("brought the database of an older program up to date", "copy of the old one", kept)
	}
	lost, err := d.local.Losses()
	for _, what := range lost {
		log.Error("the database has lost something; `server doctor` says what to do", "database", what)
	}
	return err
}

// openScratch opens the folder for files that live as long as a request, and
// removes what a crash may have left there. The caller closes it.
func openScratch(data string) (*os.Root, error) {
	folder := filepath.Join(data, scratchFolder)
	if err := errors.Join(os.RemoveAll(folder), disk.MakeFolder(folder)); err != nil {
		return nil, err
	}
	return os.OpenRoot(folder)
}
