package wire

import (
	"time"

	"collie/segment"
)

// Image answers image calls.
type Image struct {
	ID        string    `json:"id"`
	Project   string    `json:"project"`
	Name      string    `json:"name"`
	Format    string    `json:"format" schema:"enum=jpeg|png|webp|gif|bmp|tiff"`
	Bytes     int64     `json:"bytes"`
	Width     int       `json:"width"`
	Height    int       `json:"height"`
	Regions   int       `json:"regions" doc:"current number of superpixels; in lists, the initial number"`
	Status    string    `json:"status" doc:"automatic; done means that nothing is undecided but for what an import left undecided" schema:"enum=untouched|started|done"`
	Seq       int       `json:"seq" doc:"number of evidence events"`
	Clicks    int       `json:"clicks"`
	Decided   float64   `json:"decided" doc:"share of the area that has a class" schema:"min=0,max=1"`
	Doubt     *float64  `json:"expected_wrong_area,omitempty" doc:"estimated share of the area that is wrong, from the latest hypotheses, and before these from a first guess; absent before either" schema:"min=0,max=1"`
	Guessed   bool      `json:"guessed" doc:"whether the image has nothing but a first guess by the project, which nobody has accepted"`
	GuessOnly bool      `json:"guess_only" doc:"whether the image has a first guess, be it the project's, from imported scores or from another image, and no label, so that exports have nothing of it without the option guesses; imported scores of older servers count once the image changes"`
	Created   time.Time `json:"created"`

	Review   *Review `json:"review,omitempty" doc:"the status by hand; absent without one"`
	Assignee string  `json:"assignee,omitempty" doc:"name of the user who is to work on the image; absent when that is nobody"`
	Pictures int     `json:"pictures,omitempty" doc:"only in answers to uploads of files with several pictures, such as stacks of TIFF images: how many; the image is the first"`
	LeftOut  int     `json:"left_out,omitempty" doc:"only in answers to uploads of zip archives that hold masks, annotations or lists beside photographs: how many of these were left out, which imports read; the image is the archive's first"`
	Present  bool    `json:"present,omitempty" doc:"only in answers to uploads with present=skip: the image was there before"`
}

// ImageOf converts an image's record to JSON.
func ImageOf(im segment.Image) Image {
	return Image{
		ID: im.ID, Project: im.ProjectID, Name: im.Name, Format: im.Format, Bytes: im.Bytes,
		Width: im.Width, Height: im.Height, Regions: im.Regions, Status: im.Status(),
		Seq: im.Seq, Clicks: im.Clicks, Decided: im.Decided, Doubt: im.Doubt, Guessed: im.Guessed, GuessOnly: im.OnlyHinted(), Created: im.Created,
		Review: reviewOf(im.Review), Assignee: im.Assignee,
	}
}

// OpenImage answers for one image, with what its superpixels are at present.
type OpenImage struct {
	Image
	Map     string   `json:"map" doc:"name of the current superpixel map, without the parts that fine labels divide off; that of superpixels.bin?of=whole is also its ETag"`
	Finest  int      `json:"finest" doc:"the largest number of superpixels that a granularity event can ask for"`
	Guess   *Guess   `json:"guess,omitempty" doc:"the current first guess; absent without one"`
	Repairs []Repair `json:"repairs" doc:"the current pixel repairs, by class"` // last, because they are written piece by piece
}

// Review is the status by hand of an image.
type Review struct {
	Status  segment.ReviewStatus `json:"status" schema:"enum=todo|progress|done|approved|rejected"`
	Comment string               `json:"comment,omitempty" doc:"for whoever works on the image"`
	By      string               `json:"by,omitempty" doc:"name of the user who set it"`
	At      time.Time            `json:"at"`
	Seq     int                  `json:"seq" doc:"number of evidence events that the image had; if it has more now, it was changed since"`
}

// reviewOf converts a status by hand; nil without one.
func reviewOf(r segment.Review) *Review {
	if r.Status == segment.NoReview {
		return nil
	}
	return &Review{r.Status, r.Comment, r.By, r.At, r.Seq}
}

// Hypothesis is a hypothesis for scripts.
type Hypothesis struct {
	Rank   int     `json:"rank"`
	Energy float64 `json:"energy" doc:"higher is better"`
	Digest string  `json:"digest"`
	Labels Numbers `json:"labels" doc:"class per superpixel"`
}
