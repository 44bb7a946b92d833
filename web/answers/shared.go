package answers

import "sync"

// Shared has answers that never change, each once for all clients who take it at the
// same time. The zero value is empty.
type Shared struct {
	mu    sync.Mutex
	byKey map[string]*sharedAnswer
}

type sharedAnswer struct {
	made  func() error // makes what follows, or waits until it is made
	body  []byte
	users int
}

// Get returns the answer of a key, which is made if nobody takes it at the moment, and
// what ends its use.
func (s *Shared) Get(key string, write func() ([]byte, error)) (body []byte, leave func(), err error) {
	s.mu.Lock()
	a := s.byKey[key]
	if a == nil {
		a = &sharedAnswer{}
		a.made = sync.OnceValue(func() (err error) {
			a.body, err = write()
			return err
		})
		if s.byKey == nil {
			s.byKey = map[string]*sharedAnswer{}
		}
		s.byKey[key] = a
	}
	a.users++
	s.mu.Unlock()
	end := sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if a.users--; a.users == 0 {
			delete(s.byKey, key)
		}
	})
	defer func() {
		if leave == nil { // also when making it panics
			end()
		}
	}()
	if err := a.made(); err != nil {
		return nil, nil, err
	}
	return a.body, end, nil
}
