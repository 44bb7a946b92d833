package main

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"collie/cmd/server/machine"
	"collie/segment/accounts"
	"collie/segment/archive"
	"collie/segment/photo"
	"collie/segment/workspace"
	"collie/web"
	"collie/web/live"
)

// uploadLimits bound what a file may be that is taken in, for every command
// that does so.
type uploadLimits struct {
	MaxFile       size    `name:"max-file" default:"${max_file}" env:"COLLIE_MAX_FILE" group:"limits" help:"Size of an image file."`
	MaxMegapixels float64 `default:"${max_megapixels}" env:"COLLIE_MAX_MEGAPIXELS" group:"limits" help:"Width times height of an image, in millions of pixels; at most 67.1 are possible."`
	MaxSide       int     `default:"${max_side}" env:"COLLIE_MAX_SIDE" group:"limits" help:"Width and height of an image, in pixels; at most 65536 are possible."`
	MaxImages     int     `default:"${max_images}" env:"COLLIE_MAX_IMAGES" group:"limits" help:"Images of a project, also of one that comes from its backup."`
	ZipSize       size    `default:"${zip_size}" env:"COLLIE_ZIP_SIZE" group:"limits" help:"Size of a zip archive."`
	ZipEntries    int     `default:"${zip_entries}" env:"COLLIE_ZIP_ENTRIES" group:"limits" help:"Files and folders in a zip archive."`
	ZipInflated   size    `default:"${zip_inflated}" env:"COLLIE_ZIP_INFLATED" group:"limits" help:"Total size of all files in a zip archive, uncompressed."`
	ZipRatio      int64   `default:"${zip_ratio}" env:"COLLIE_ZIP_RATIO" group:"limits" help:"Compression ratio of a zip archive and of each file in it."`
	DecodeMemory  size    `default:"0" env:"COLLIE_DECODE_MEMORY" group:"limits" help:"Memory for all images that are being decoded at once. With 0, and at least, what one image of the largest size takes (12 bytes per pixel and the file). Others wait."`
	Memory        size    `default:"0" env:"COLLIE_MEMORY" group:"limits" help:"Memory target; near it the program collects garbage more often. At least 64MiB. With 0, 1GiB or three quarters of what the machine, container or service has, whichever is less. GOMEMLIMIT in the environment takes precedence."`
}

// defaultLimits are the defaults of flags whose limits a package keeps; those of
// the others, which only this program knows, are with the flags.
func defaultLimits() kong.Vars {
	p, w, a := photo.Limits{}.OrDefault(), web.Limits{}.OrDefault(), accounts.Limits{}.OrDefault()
	vars := kong.Vars{}
	for name, limit := range map[string]any{
		"max_file":        size(p.Bytes),
		"max_megapixels":  float64(p.Pixels) / 1e6,
		"max_side":        p.Side,
		"max_images":      workspace.DefaultImages,
		"zip_size":        size(w.Zip.Bytes),
		"zip_entries":     w.Zip.Entries,
		"zip_inflated":    size(w.Zip.Inflated),
		"zip_ratio":       w.Zip.Ratio,
		"upload_size":     size(w.Upload),
		"upload_files":    w.Files,
		"uploads_at_once": w.Receiving,
		"upload_queue":    p.Queue,
		"upload_rate":     size(w.SlowRate),
		"max_json":        size(w.JSON),
		"max_sockets":     w.Socket.Sockets,
		"user_sockets":    w.Socket.UserSockets,
		"message_rate":    w.Socket.MessageRate,
		"max_message":     size(w.Socket.Message),
		"write_timeout":   w.Socket.WriteWithin,
		"ping_interval":   w.Socket.PingEvery,
		"pong_timeout":    w.Socket.PongWithin,
		"session_idle":    w.Session.Idle,
		"session_life":    w.Session.Lifetime,
		"account_tries":   a.AccountTries,
		"address_tries":   a.AddressTries,
		"stall_timeout":   w.Stall,
	} {
		text := fmt.Sprint(limit)
		for _, zero := range []string{"m0s", "h0m"} { // 12h, not 12h0m0s
			if strings.HasSuffix(text, zero) {
				text = text[:len(text)-2]
			}
		}
		vars[name] = text
	}
	return vars
}

// photo are the limits of an image.
func (l uploadLimits) photo() photo.Limits {
	return photo.Limits{
		Bytes: int64(l.MaxFile), Pixels: min(int(l.MaxMegapixels*1e6), workspace.MaxPixels), Side: min(l.MaxSide, workspace.MaxSide), Memory: int64(l.DecodeMemory),
	}
}

// zip are the limits of an archive.
func (l uploadLimits) zip() archive.Limits {
	return archive.Limits{Bytes: int64(l.ZipSize), Entries: l.ZipEntries, Inflated: int64(l.ZipInflated), Ratio: l.ZipRatio}
}

// leastTarget is the least memory target. Far below it a program does little but
// collect garbage.
const leastTarget size = 64 << 20

// Validate refuses what would mean a default or nothing at all.
func (l *uploadLimits) Validate() error {
	if !(l.MaxMegapixels*1e6 >= 1 && l.MaxMegapixels <= 1000) {
		return fmt.Errorf("--max-megapixels must be a number above 0 and up to 1000")
	}
	if l.Memory != 0 && l.Memory < leastTarget {
		return fmt.Errorf("--memory %s is too little: give at least %s, or 0 for the default", l.Memory, leastTarget)
	}
	return positive(map[string]int64{
		"max-file": int64(l.MaxFile), "max-side": int64(l.MaxSide), "max-images": int64(l.MaxImages), "zip-size": int64(l.ZipSize),
		"zip-entries": int64(l.ZipEntries), "zip-inflated": int64(l.ZipInflated), "zip-ratio": l.ZipRatio,
	})
}

// serveLimits bound what a server takes from its clients.
type serveLimits struct {
	uploadLimits
	UploadSize     size          `default:"${upload_size}" env:"COLLIE_UPLOAD_SIZE" group:"limits" help:"Size of one upload of many files."`
	UploadFiles    int           `default:"${upload_files}" env:"COLLIE_UPLOAD_FILES" group:"limits" help:"Files of one upload, including those in zip archives."`
	UploadsAtOnce  int           `default:"${uploads_at_once}" env:"COLLIE_UPLOADS_AT_ONCE" group:"limits" help:"Files of one user that are received at once, each in a file in the data folder. Others wait."`
	UploadQueue    int           `default:"${upload_queue}" env:"COLLIE_UPLOAD_QUEUE" group:"limits" help:"Files of one user that can wait to be received, and files that can wait to be decoded. More are refused with 429."`
	UploadRate     size          `default:"${upload_rate}" env:"COLLIE_UPLOAD_RATE" group:"limits" help:"Lowest average speed of an upload or of an answer, in bytes per second. A slower one is stopped."`
	MaxJSON        size          `name:"max-json" default:"${max_json}" env:"COLLIE_MAX_JSON" group:"limits" help:"Size of a request other than an upload."`
	MaxHeader      size          `default:"16KiB" env:"COLLIE_MAX_HEADER" group:"limits" help:"Size of the header of a request."`
	MaxSockets     int           `default:"${max_sockets}" env:"COLLIE_MAX_SOCKETS" group:"limits" help:"Annotation pages that are connected at once."`
	UserSockets    int           `default:"${user_sockets}" env:"COLLIE_USER_SOCKETS" group:"limits" help:"Annotation pages of one signed-in user that are connected at once."`
	MessageRate    int           `default:"${message_rate}" env:"COLLIE_MESSAGE_RATE" group:"limits" help:"Messages per second from one annotation page. Further messages wait."`
	MaxMessage     size          `default:"${max_message}" env:"COLLIE_MAX_MESSAGE" group:"limits" help:"Size of a message from an annotation page."`
	WriteTimeout   time.Duration `default:"${write_timeout}" env:"COLLIE_WRITE_TIMEOUT" group:"limits" help:"Time for an annotation page to take a message, or 64 KiB of a longer one."`
	PingInterval   time.Duration `default:"${ping_interval}" env:"COLLIE_PING_INTERVAL" group:"limits" help:"Time between two pings to an annotation page. Each also checks that the page's user still has access."`
	PongTimeout    time.Duration `default:"${pong_timeout}" env:"COLLIE_PONG_TIMEOUT" group:"limits" help:"Time after which an annotation page that doesn't answer pings is disconnected; longer than --ping-interval."`
	SessionIdle    time.Duration `default:"${session_idle}" env:"COLLIE_SESSION_IDLE" group:"limits" help:"Time without a request after which a user is signed out."`
	SessionLife    time.Duration `name:"session-lifetime" default:"${session_life}" env:"COLLIE_SESSION_LIFETIME" group:"limits" help:"Time after which a user always has to sign in again."`
	AccountTries   int           `default:"${account_tries}" env:"COLLIE_ACCOUNT_TRIES" group:"limits" help:"Wrong passwords for one user from one address in 15 minutes. More are refused with 429."`
	AddressTries   int           `default:"${address_tries}" env:"COLLIE_ADDRESS_TRIES" group:"limits" help:"Wrong passwords from one address in a minute. More are refused with 429."`
	HeaderTimeout  time.Duration `default:"5s" env:"COLLIE_HEADER_TIMEOUT" group:"limits" help:"Time for the header of a request to arrive."`
	RequestTimeout time.Duration `default:"30s" env:"COLLIE_REQUEST_TIMEOUT" group:"limits" help:"Time for a small request and for its answer."`
	StallTimeout   time.Duration `default:"${stall_timeout}" env:"COLLIE_STALL_TIMEOUT" group:"limits" help:"Time after which an upload or a download without progress is stopped."`
	IdleTimeout    time.Duration `default:"1m" env:"COLLIE_IDLE_TIMEOUT" group:"limits" help:"Time after which a connection without requests is closed."`
	StopTimeout    time.Duration `default:"10s" env:"COLLIE_STOP_TIMEOUT" group:"limits" help:"Time that running requests get when the server stops."`
}

// photo are the limits of an image and of all that are coming in.
func (l serveLimits) photo() photo.Limits {
	p := l.uploadLimits.photo()
	p.Queue = l.UploadQueue
	return p
}

// web are the limits of the pages and the interface.
func (l serveLimits) web() web.Limits {
	return web.Limits{
		JSON: int64(l.MaxJSON), Upload: int64(l.UploadSize), Files: l.UploadFiles, Zip: l.zip(), Receiving: l.UploadsAtOnce, Queue: l.UploadQueue,
		Stall: l.StallTimeout, SlowRate: int64(l.UploadRate),
		Socket: live.Limits{
			Sockets: l.MaxSockets, UserSockets: l.UserSockets, MessageRate: l.MessageRate, Message: int64(l.MaxMessage),
			WriteWithin: l.WriteTimeout, PingEvery: l.PingInterval, PongWithin: l.PongTimeout,
		},
		Session: accounts.SessionLimits{Idle: l.SessionIdle, Lifetime: l.SessionLife},
	}
}

// accounts are the limits of signing in.
func (l serveLimits) accounts() accounts.Limits {
	return accounts.Limits{AccountTries: l.AccountTries, AddressTries: l.AddressTries}
}

// Validate refuses what would mean a default or nothing at all.
func (l *serveLimits) Validate() error {
	if l.PongTimeout <= l.PingInterval {
		return fmt.Errorf("--pong-timeout %s must be longer than --ping-interval %s, or pages that have nothing to send are disconnected", l.PongTimeout, l.PingInterval)
	}
	return cmp.Or(l.uploadLimits.Validate(), positive(map[string]int64{
		"upload-size": int64(l.UploadSize), "upload-files": int64(l.UploadFiles), "uploads-at-once": int64(l.UploadsAtOnce), "upload-queue": int64(l.UploadQueue),
		"upload-rate": int64(l.UploadRate), "max-json": int64(l.MaxJSON),
		"max-header": int64(l.MaxHeader), "max-sockets": int64(l.MaxSockets), "user-sockets": int64(l.UserSockets), "message-rate": int64(l.MessageRate),
		"max-message": int64(l.MaxMessage), "write-timeout": int64(l.WriteTimeout), "ping-interval": int64(l.PingInterval), "pong-timeout": int64(l.PongTimeout),
		"session-idle": int64(l.SessionIdle), "session-lifetime": int64(l.SessionLife), "account-tries": int64(l.AccountTries), "address-tries": int64(l.AddressTries),
		"header-timeout": int64(l.HeaderTimeout), "request-timeout": int64(l.RequestTimeout),
		"stall-timeout": int64(l.StallTimeout), "idle-timeout": int64(l.IdleTimeout), "stop-timeout": int64(l.StopTimeout),
	}))
}

// positive refuses numbers that are not.
func positive(flags map[string]int64) error {
	for _, name := range slices.Sorted(maps.Keys(flags)) {
		if flags[name] <= 0 {
			return fmt.Errorf("--%s must be more than 0", name)
		}
	}
	return nil
}

// size is a number of bytes, written like 64MiB or 500kB.
type size int64

var units = []struct {
	suffix string
	bytes  float64
}{
	{"KiB", 1 << 10},
	{"MiB", 1 << 20},
	{"GiB", 1 << 30},
	{"TiB", 1 << 40},
	{"kB", 1e3},
	{"MB", 1e6},
	{"GB", 1e9},
	{"TB", 1e12},
	{"B", 1},
	{"", 1},
}

// UnmarshalText reads a size; a number alone counts bytes.
func (s *size) UnmarshalText(text []byte) error {
	for _, u := range units {
		number, ok := strings.CutSuffix(string(text), u.suffix)
		if !ok {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if n *= u.bytes; err != nil || !(n >= 0 && n < math.MaxInt64) {
			break
		}
		*s = size(n)
		return nil
	}
	return fmt.Errorf("%q is not a size; write it like 64MiB, 2GiB or 1.5GB", text)
}

// String writes the size in the largest unit that it is a whole number of.
func (s size) String() string {
	text := fmt.Sprintf("%dB", int64(s))
	for _, u := range units[:4] {
		if unit := int64(u.bytes); s != 0 && int64(s)%unit == 0 {
			text = fmt.Sprintf("%d%s", int64(s)/unit, u.suffix)
		}
	}
	return text
}

// mostInUse is the memory that images in use can take before others are refused: half of
// what the machine, container or service has, or the memory limit if that is more. Without it, so
// many pages could be open that the system ends the program.
func mostInUse() int64 { return max(machine.Memory("/")/2, debug.SetMemoryLimit(-1)) }

// applyMemory sets the memory that the program tries to stay under, unless the
// environment's GOMEMLIMIT does, and returns it in bytes.
func (l uploadLimits) applyMemory() size {
	if os.Getenv("GOMEMLIMIT") != "" {
		return size(debug.SetMemoryLimit(-1))
	}
	limit := l.Memory
	if limit == 0 {
		limit = 1 << 30
		if all := machine.Memory("/"); all > 0 {
			limit = min(limit, size(all/4*3))
		}
	}
	debug.SetMemoryLimit(int64(limit))
	return limit
}
