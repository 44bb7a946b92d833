package live

import (
	"cmp"
	"time"
)

// Limits bound what sockets take. The zero value of a field is its default.
type Limits struct {
	Sockets     int           // open websockets
	UserSockets int           // of them, of one user who has signed in
	MessageRate int           // messages per second from one websocket; who sends more waits
	Message     int64         // bytes of a message from a websocket
	WriteWithin time.Duration // time for a client to take one message
	PingEvery   time.Duration // between two pings
	PongWithin  time.Duration // time for a sign of life
}

// OrDefault returns l with the defaults in place of zeros.
func (l Limits) OrDefault() Limits {
	l.Sockets = cmp.Or(l.Sockets, 1024)
	l.UserSockets = cmp.Or(l.UserSockets, 8)
	l.MessageRate = cmp.Or(l.MessageRate, 40)
	l.Message = cmp.Or(l.Message, 64<<10)
	l.WriteWithin = cmp.Or(l.WriteWithin, 5*time.Second)
	l.PingEvery = cmp.Or(l.PingEvery, 20*time.Second)
	l.PongWithin = cmp.Or(l.PongWithin, 45*time.Second)
	return l
}
