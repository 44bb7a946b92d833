package web

import (
	"cmp"
	"time"

	"collie/segment/accounts"
	"collie/segment/archive"
	"collie/web/live"
)

// Limits bound what a server takes. The zero value of a field is its default.
type Limits struct {
	JSON      int64          // bytes of a body that is no upload
	Upload    int64          // bytes of one upload of many files
	Files     int            // files of one upload, those in zip archives counted
	Zip       archive.Limits // of each zip archive in an upload
	Receiving int            // files of one user that are being received at once; others wait
	Queue     int            // files of one user that wait for it; others are refused
	Stall     time.Duration  // how long a route that moves much waits for a client that takes or sends nothing
	SlowRate  int64          // bytes per second below which an upload is given up, after Stall

	Socket  live.Limits            // of websockets
	Session accounts.SessionLimits // of people who have signed in
}

// OrDefault returns l with the defaults in place of zeros.
func (l Limits) OrDefault() Limits {
	l.JSON = cmp.Or(l.JSON, 4<<20) // in which an event of 200,000 superpixels fits
	l.Upload = cmp.Or(l.Upload, 4<<30)
	l.Files = cmp.Or(l.Files, 10_000)
	l.Zip = l.Zip.OrDefault()
	l.Receiving = cmp.Or(l.Receiving, 8)
	l.Queue = cmp.Or(l.Queue, 32)
	l.Stall = cmp.Or(l.Stall, time.Minute)
	l.SlowRate = cmp.Or(l.SlowRate, 16<<10)
	l.Socket = l.Socket.OrDefault()
	l.Session = l.Session.OrDefault()
	return l
}
