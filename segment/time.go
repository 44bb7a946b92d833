package segment

import "time"

// Now is the current time as the store keeps it.
func Now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

// CheckTime returns an error for a time that JSON can't express.
func CheckTime(at time.Time) error {
	_, err := at.UTC().MarshalJSON()
	return err
}
