package segment

// News is what another server that shares the store has done. It can get lost, and
// says only what to look at again.
type News struct {
	About NewsKind
	ID    string // of the image or the user; empty when it can be any
}

// NewsKind is what news are about.
type NewsKind string

// Kinds of news.
const (
	ImageChanged NewsKind = ""       // its events, the classes of its project, or it is in the trash
	ImageErased  NewsKind = "erased" // for good, with its files
	UserChanged  NewsKind = "user"   // their password, roles, sessions or tokens

	ImageReviewed NewsKind = "reviewed" // it was given a status by hand
)
