package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
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
)

// failedGrace is time for answers on their way when the disk has failed.
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
// accepts connections, and log lines to standard error. When the disk fails it
// refuses all changes, stops and returns why.
func (s *serveCommand) Run(ctx context.Context, out streams) (err error) {
	config, err := s.accessFlags.config(s.Listen)
	if err != nil {
		return err
	}
	config.HTTPS = s.HTTPS.Enabled()
	affinities, err := s.affinitiesFlag.read()
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(out.stderr, nil))
	provider, err := s.openidFlags.provider(s.Auth, config.Origin, log)
	if err != nil {
		return err
	}
	log.Info("starting", "memory limit", s.applyMemory())
	stopProfiles, err := s.Profiles.Serve(ctx)
	if err != nil {
		return err
	}
	defer stopProfiles()
	figures := metrics.New()
	turns := schedule.Limits{}.OrDefault()
	runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + turns.Long) // see Scheduler.Long
	held, err := disk.Hold(s.Data, s.Listen)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, held.Close()) }()
	scratch, err := openScratch(s.Data) // first, because the bucket's files pass through it
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, scratch.Close()) }()
	late := time.AfterFunc(patience, func() {
		log.Info("still opening the data. A database that has to be brought up to date lets others finish first, a long pg_dump for example")
	})
	d, err := openData(ctx, s.dataFlag, int64(s.CacheSize), s.photo(), workspace.Options{Schedule: turns, Observer: figures, Affinities: affinities})
	late.Stop()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	d.store.Synced(figures.Synced)
	if err := d.warn(ctx, log); err != nil {
		return err
	}
	if d.shared != nil {
		defer (&sweeper{d.workspace, d.store, time.Now, log}).start(ctx)()
	} else {
		defer startSweeping(ctx, d.workspace, s.Data, log)()
	}

	d.workspace.LimitImages(s.MaxImages)

	config.Workspace, config.Ready, config.Log = d.workspace, d.Ready, log
	config.Exports = jobs.New(d.workspace, d.blobs, d.store, log)
	config.Exports.KeepTo(d.workspace.Long)
	config.Limits, config.Scratch, config.Metrics = s.web(), scratch, figures
	if config.Login, err = s.login(ctx, d, log); err != nil {
		return err
	}
	if provider != nil {
		config.Login.OpenID = provider
		go provider.Check(ctx)
	}
	if err := d.workspace.Record(ctx, audit.ServerStarted, "", fmt.Sprintf("listen %s, auth %t, origin %q", s.Listen, config.Login != nil, config.Origin)); err != nil {
		log.Warn("not in the audit log", "error", err)
	}
	defer d.workspace.StartLearning(ctx)()
	site := web.New(config)
	defer site.Close()
	hints, _ := d.store.(workspace.Hints)                                                              // nil for a database that no other server uses
	defer d.workspace.Follow(context.WithoutCancel(ctx), workspace.FollowEvery, hints, d.news(site))() // also while it drains
	figures.Watch(d.workspace, site.Sockets)
	server := &http.Server{
		Handler:           site,
		ReadHeaderTimeout: s.HeaderTimeout,
		ReadTimeout:       s.RequestTimeout,
		WriteTimeout:      s.RequestTimeout,
		IdleTimeout:       s.IdleTimeout,
		MaxHeaderBytes:    int(s.MaxHeader),
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	secured, err := s.HTTPS.Secure(s.Data, config.Origin, log)
	if err != nil {
		return err
	}
	stopPlain, err := s.HTTPS.ServePlain(secured, log)
	if err != nil {
		return err
	}
	defer stopPlain()
	listener, err := net.Listen("tcp", s.Listen)
	if err != nil {
		return err
	}
	served := make(chan error, 1)
	scheme := "http"
	if secured != nil {
		scheme, server.TLSConfig = "https", secured.Config
		go func() { served <- server.ServeTLS(listener, "", "") }()
		go secured.Prepare()
	} else {
		go func() { served <- server.Serve(listener) }()
	}
	where := s.Data
	if s.Database != "" {
		where = "a database and a bucket; its own files are in " + where
	}
	fmt.Fprintf(out.stdout, "Collie is at %s://%s and keeps its data in %s\n", scheme, listener.Addr(), where)

	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	case <-d.failed():
	case <-d.blobs.Failed():
	}
	failure := d.Ready(context.WithoutCancel(ctx))
	if failure != nil {
		log.Error("the disk failed, so the server stops", "in", failedGrace, "error", failure)
		time.Sleep(failedGrace)
	} else if drain := s.drainFlag.time(s.Database != ""); drain > 0 {
		log.Info("draining: /readyz says no, everything else goes on; a second signal ends it", "for", drain)
		d.linger(drain, site.Drain)
	}
	log.Info("stopping")
	site.Close() // first, because Shutdown knows nothing of websockets
	limit, cancel := context.WithTimeout(context.Background(), s.StopTimeout)
	defer cancel()
	if err := server.Shutdown(limit); err != nil {
		return errors.Join(failure, err, server.Close())
	}
	return failure
}

// news returns what to do with other servers' news.
func (d *data) news(site *web.Server) func(segment.News) {
	return func(n segment.News) {
		switch n.About {
		case segment.UserChanged:
			site.Recheck(n.ID)
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
	if err := errors.Join(os.RemoveAll(folder), os.MkdirAll(folder, 0o700)); err != nil {
		return nil, err
	}
	return os.OpenRoot(folder)
}
