package live

import (
	"cmp"
	"time"
)

// Limits bound what sockets can use. The zero value of a field means its
// default.
type Limits struct {
	Sockets     int           // open websockets
	UserSockets int           // websockets of one signed-in user
	MessageRate int           // messages per second from one websocket; more have to wait
	Message     int64         // bytes of a message from a websocket
	WriteWithin time.Duration // time for a client to take a message, or 64 KiB of a longer one
	PingEvery   time.Duration // between two pings
	PongWithin  time.Duration // time for a client to answer a ping
}

// OrDefault returns l with zeros replaced by the defaults.
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
