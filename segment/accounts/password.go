package accounts

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"

	"collie/segment"
	"collie/segment/queue"
)

// Parameters of argon2id (RFC 9106) for new passwords: OWASP's Password Storage
// Cheat Sheet recommends them for servers with little memory. Stored hashes
// include their parameters, so these can be raised later.
const (
	hashPasses = 2
	hashMemory = 19 << 10 // KiB
	hashLanes  = 1
	saltBytes  = 16
	keyBytes   = 32
)

// Length of a password.
const (
	minPassword = 10   // characters
	maxPassword = 1024 // bytes
)

// maxWaiting is how many passwords can wait to be hashed.
const maxWaiting = 64

// hasher makes and checks password hashes on at most half the cores, so that
// guessing doesn't slow down work. Each hash takes hashMemory.
type hasher struct {
	turns *queue.Queue
	dummy string // the hash of a password that nobody knows
}

func newHasher() *hasher {
	h := &hasher{turns: queue.New(max(1, runtime.GOMAXPROCS(0)/2), maxWaiting)}
	h.dummy = encodeHash(make([]byte, saltBytes), make([]byte, keyBytes)) // a key of zeros has no known password
	return h
}

// enter waits for a turn; the caller calls done afterwards.
func enter(ctx context.Context, turns *queue.Queue) (done func(), err error) {
	done, err = turns.Enter(ctx)
	if errors.Is(err, queue.ErrFull) {
		return nil, segment.Errorf(segment.Busy, "Too many people are signing in right now. Try again in a few seconds.")
	}
	return done, err
}

// hash returns the password's hash in the PHC string format.
func (h *hasher) hash(ctx context.Context, password string) (string, error) {
	done, err := enter(ctx, h.turns)
	if err != nil {
		return "", err
	}
	defer done()
	salt := make([]byte, saltBytes)
	rand.Read(salt)
	return encodeHash(salt, argon2.IDKey([]byte(password), salt, hashPasses, hashMemory, hashLanes, keyBytes)), nil
}

// matches reports whether the password has the given hash. It takes the same
// time for a wrong password and for a missing hash.
func (h *hasher) matches(ctx context.Context, password, hash string) (bool, error) {
	known := hash != ""
	if !known {
		hash = h.dummy
	}
	memory, passes, lanes, salt, want, err := decodeHash(hash)
	if err != nil {
		return false, err
	}
	done, err := enter(ctx, h.turns)
	if err != nil {
		return false, err
	}
	defer done()
	got := argon2.IDKey([]byte(password), salt, passes, memory, lanes, uint32(len(want)))
	return subtle.ConstantTimeCompare(got, want) == 1 && known, nil
}

func encodeHash(salt, key []byte) string {
	b := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, hashMemory, hashPasses, hashLanes, b.EncodeToString(salt), b.EncodeToString(key))
}

func decodeHash(hash string) (memory, passes uint32, lanes uint8, salt, key []byte, err error) {
	// "", "argon2id", "v=19", "m=19456,t=2,p=1", salt, key
	parts := strings.Split(hash, "$")
	if len(parts) != 6 || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return 0, 0, 0, nil, nil, fmt.Errorf("a stored password hash is not of the form $argon2id$v=%d$…", argon2.Version)
	}
	if _, err = fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &memory, &passes, &lanes); err != nil {
		return 0, 0, 0, nil, nil, fmt.Errorf("the parameters of a stored password hash: %w", err)
	}
	if salt, err = base64.RawStdEncoding.DecodeString(parts[4]); err != nil {
		return 0, 0, 0, nil, nil, fmt.Errorf("the salt of a stored password hash: %w", err)
	}
	if key, err = base64.RawStdEncoding.DecodeString(parts[5]); err != nil {
		return 0, 0, 0, nil, nil, fmt.Errorf("the key of a stored password hash: %w", err)
	}
	if passes < 1 || lanes < 1 || len(key) < 16 {
		return 0, 0, 0, nil, nil, fmt.Errorf("a stored password hash has impossible parameters %s", parts[3])
	}
	return memory, passes, lanes, salt, key, nil
}

// checkPassword checks a new password. Only its length counts; rules about
// kinds of characters make passwords worse.
func checkPassword(name, password string) error {
	switch {
	case utf8.RuneCountInString(password) < minPassword:
		return segment.Errorf(segment.Invalid, "The password is shorter than %d characters.", minPassword)
	case len(password) > maxPassword:
		return segment.Errorf(segment.Invalid, "The password is longer than %d bytes.", maxPassword)
	case strings.EqualFold(password, name):
		return segment.Errorf(segment.Invalid, "The password must differ from the name.")
	}
	return nil
}
