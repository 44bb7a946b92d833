package segment

import "time"

// now is the present time as the store keeps it.
func now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

// datable returns an error for a time that JSON can't express.
func datable(at time.Time) error {
	_, err := at.UTC().MarshalJSON()
	return err
}
