package move

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"maps"
	"math"

	"collie/segment"
	"collie/storage/row"
)

// Database is what records are moved from and to.
type Database interface {
	Identity(ctx context.Context) (string, error)
	Dump(ctx context.Context, put row.Put) error
	Load(ctx context.Context, identity string, dump func(row.Put) error) error
}

// Records copies all rows of from to to, which must be empty or have exactly these
// rows already, gives to the identity of from, and compares all rows of both. Nobody
// else can write to either meanwhile. It returns the number of rows by table. After
// an error from is as it was, and to is empty or complete.
func Records(ctx context.Context, from, to Database) (map[string]int, error) {
	identity, err := from.Identity(ctx)
	if err != nil {
		return nil, err
	}
	loaded := to.Load(ctx, identity, func(put row.Put) error { return from.Dump(ctx, put) })
	if loaded != nil && segment.KindOf(loaded) != segment.Conflict {
		return nil, loaded
	}
	want, err := sumUp(ctx, from)
	if err != nil {
		return nil, err
	}
	got, err := sumUp(ctx, to)
	if err != nil {
		return nil, err
	}
	id, err := to.Identity(ctx)
	if err != nil {
		return nil, err
	}
	if id != identity || !maps.Equal(want.sums, got.sums) {
		if loaded != nil {
			return nil, loaded
		}
		return nil, fmt.Errorf("the rows differ after they were copied: %v here, %v there", want.rows, got.rows)
	}
	return got.rows, nil
}

// content sums up a database.
type content struct {
	rows map[string]int
	sums map[string][sha256.Size]byte
}

func sumUp(ctx context.Context, d Database) (content, error) {
	c := content{map[string]int{}, map[string][sha256.Size]byte{}}
	hashes := map[string]hash.Hash{}
	for _, t := range row.Tables {
		hashes[t.Name] = sha256.New()
	}
	err := d.Dump(ctx, func(t row.Table, values []any) error {
		c.rows[t.Name]++
		for _, v := range values {
			if err := writeValue(hashes[t.Name], v); err != nil {
				return err
			}
		}
		return nil
	})
	for name, h := range hashes {
		c.sums[name] = [sha256.Size]byte(h.Sum(nil))
	}
	return c, err
}

// writeValue writes a value so that no other one is written alike.
func writeValue(h hash.Hash, v any) error {
	var b []byte
	switch v := v.(type) {
	case nil:
		b = []byte{0}
	case int64:
		b = binary.BigEndian.AppendUint64([]byte{1}, uint64(v))
	case float64:
		b = binary.BigEndian.AppendUint64([]byte{2}, math.Float64bits(v))
	case string:
		b = append(binary.BigEndian.AppendUint64([]byte{3}, uint64(len(v))), v...)
	case []byte:
		b = append(binary.BigEndian.AppendUint64([]byte{4}, uint64(len(v))), v...)
	default:
		return fmt.Errorf("a value of type %T can't be compared", v)
	}
	_, err := h.Write(b)
	return err
}
