package web

import (
	"cmp"
	"time"

	"collie/segment/accounts"
	"collie/segment/archive"
)

// Limits bound what a server takes. The zero value of a field is its default.
type Limits struct {
	JSON     int64          // bytes of a body that is no upload; default 4 MiB, in which an event of 200,000 superpixels fits
	Upload   int64          // bytes of one upload of many files; default 4 GiB
	Files    int            // files of one upload, those in zip archives counted; default 10,000
	Zip      archive.Limits // of each zip archive in an upload
	Zips     int            // zip archives that are read at once; others are refused; default 4
	Stall    time.Duration  // how long a route that moves much waits for a client that takes or sends nothing; default one minute
	SlowRate int64          // bytes per second below which an upload is given up, after Stall; default 16 KiB

	Sockets     int           // open websockets; default 1,024
	UserSockets int           // of them, of one user who has signed in; default 8
	MessageRate int           // messages per second from one websocket; who sends more waits; default 40
	Message     int64         // bytes of a message from a websocket; default 64 KiB
	WriteWithin time.Duration // time for a client to take one message; default 5 s
	PingEvery   time.Duration // between two pings; default 20 s
	PongWithin  time.Duration // time for a sign of life; default 45 s

	Session accounts.SessionLimits // of people who have signed in
}

// OrDefault returns l with the defaults in place of zeros.
func (l Limits) OrDefault() Limits {
	l.JSON = cmp.Or(l.JSON, 4<<20)
	l.Upload = cmp.Or(l.Upload, 4<<30)
	l.Files = cmp.Or(l.Files, 10_000)
	l.Zip = l.Zip.OrDefault()
	l.Zips = cmp.Or(l.Zips, 4)
	l.Stall = cmp.Or(l.Stall, time.Minute)
	l.SlowRate = cmp.Or(l.SlowRate, 16<<10)
	l.Sockets = cmp.Or(l.Sockets, 1024)
	l.UserSockets = cmp.Or(l.UserSockets, 8)
	l.MessageRate = cmp.Or(l.MessageRate, 40)
	l.Message = cmp.Or(l.Message, 64<<10)
	l.WriteWithin = cmp.Or(l.WriteWithin, 5*time.Second)
	l.PingEvery = cmp.Or(l.PingEvery, 20*time.Second)
	l.PongWithin = cmp.Or(l.PongWithin, 45*time.Second)
	l.Session = l.Session.OrDefault()
	return l
}
