package web

import (
	"fmt"
	"net/http"

	"github.com/go-chi/chi/v5"

	"collie/segment"
	"collie/segment/learner"
	"collie/web/problem"
)

// learningJSON describes what a project has learned from its finished images.
type learningJSON struct {
	On       bool    `json:"on" doc:"whether the project makes guesses; set it with learning in PATCH /api/v1/projects/{id}"`
	Finished int     `json:"finished" doc:"number of finished images"`
	Fewest   int     `json:"fewest" doc:"number of finished images needed before the project makes guesses"`
	Model    int     `json:"model" doc:"number of the current model; 0 before the first"`
	Learnt   int     `json:"learnt" doc:"number of finished images when the model was trained"`
	Guessing bool    `json:"guessing" doc:"whether the model's guesses are expected to save work; if not, the project makes none"`
	Saved    float64 `json:"saved" doc:"share of the actions that guesses save a simulated annotator on finished images, with predictions made before the model learned from them; 0 if it makes none" schema:"min=0,max=1"`
	Related  bool    `json:"affinities" doc:"whether the project has learned, too, which superpixels of its images belong together; images that nobody has worked on get these affinities when they are opened"`
	Training bool    `json:"training" doc:"whether a newer model is being trained"`
	Detail   string  `json:"detail,omitempty" doc:"why images get no guess at present, or one of an older model, in words for people; absent if there is nothing to say"`

	Prelabelling prelabelJSON   `json:"prelabelling"`
	Images       []expectedJSON `json:"images" doc:"images that nobody has worked on, least expected work first, images without a guess last"`
	Done         []finishedJSON `json:"done" doc:"finished images, in the order in which the model learned from them"`
}

// prelabelJSON is the progress of guessing all untouched images.
type prelabelJSON struct {
	Running bool `json:"running"`
	Total   int  `json:"total"`
	Done    int  `json:"done"`
}

// expectedJSON is an untouched image.
type expectedJSON struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Guessed bool     `json:"guessed"`
	Doubt   *float64 `json:"expected_wrong_area,omitempty" doc:"share of the area that the guess is expected to get wrong; absent without a guess" schema:"min=0,max=1"`
}

// finishedJSON is a finished image and the work it took.
type finishedJSON struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Actions int    `json:"actions" doc:"number of events by people; imports don't count"`
	Clicks  int    `json:"clicks" doc:"number of superpixels with a click"`
	Guessed bool   `json:"guessed" doc:"whether people had a guess: the project's, imported scores or the labelling of another image"`
}

// guessJSON answers whether an image has a guess.
type guessJSON struct {
	Guessed bool `json:"guessed" doc:"whether the image has a first guess from the project's model; if not, detail in GET /api/v1/projects/{id}/learning can say why"`
}

func (s *Server) getLearning(w http.ResponseWriter, r *http.Request) error {
	l, err := s.workspace.Learner().Learning(r.Context(), chi.URLParam(r, "id"))
	if err != nil {
		return err
	}
	return s.answers.JSON(w, http.StatusOK, learningOut(l))
}

func learningOut(l learner.Learning) learningJSON {
	out := learningJSON{
		On: l.On, Finished: l.Finished, Fewest: l.Fewest, Model: l.Model, Learnt: l.Learnt, Guessing: l.Guessing, Saved: l.Saved, Related: l.Related, Training: l.Training,
		Detail:       withoutGuess(l),
		Prelabelling: prelabelJSON{l.Prelabelled.Running, l.Prelabelled.Total, l.Prelabelled.Done},
		Images:       make([]expectedJSON, len(l.Images)),
		Done:         make([]finishedJSON, len(l.Done)),
	}
	for i, im := range l.Images {
		out.Images[i] = expectedJSON{ID: im.ID, Name: im.Name, Guessed: im.Guessed}
		if im.Guessed {
			out.Images[i].Doubt = im.Doubt
		}
	}
	for i, im := range l.Done {
		out.Done[i] = finishedJSON{im.ID, im.Name, l.Efforts[im.ID].Actions, im.Clicks, l.Efforts[im.ID].Guessed}
	}
	return out
}

// withoutGuess says why untouched images get no guess, or not the best one; it is empty
// if they do. A script that asks for guesses would otherwise wait for them in vain.
func withoutGuess(l learner.Learning) string {
	switch {
	case !l.On:
		return "Guessing is off, and guesses that nobody has worked on are taken back. The field \"learning\" in PATCH /api/v1/projects/{id} turns it on."
	case l.Model == 0 && l.Finished < l.Fewest:
		return fmt.Sprintf("Nothing is guessed before %d images are finished; %d are.", l.Fewest, l.Finished)
	case l.Model == 0 && l.Training:
		return "Nothing is guessed before the project has learned from its finished images, which it is doing now. Ask again when training is false."
	case l.Model == 0:
		return "Nothing is guessed, because the project has learned nothing from its finished images."
	case l.Training:
		return fmt.Sprintf("A newer model than number %d is being trained. Ask again when training is false.", l.Model)
	case !l.Guessing:
		return "Nothing is guessed, because the guesses wouldn't save work yet. The project tries again when more images are finished."
	case len(l.Images) == 0:
		return "Nothing is guessed, because every image has been worked on or has imported scores."
	}
	return ""
}

// prelabel starts to guess all untouched images of a project.
func (s *Server) prelabel(w http.ResponseWriter, r *http.Request) error {
	id := chi.URLParam(r, "id")
	if err := s.workspace.Learner().Prelabel(r.Context(), id); err != nil {
		return err
	}
	l, err := s.workspace.Learner().Learning(r.Context(), id)
	if err != nil {
		return err
	}
	return s.answers.JSON(w, http.StatusAccepted, learningOut(l))
}

// copyJSON is the request to copy the labelling of another image.
type copyJSON struct {
	ID   string `json:"id,omitempty" doc:"identifies the event; a repeat is stored once. Absent, the server makes one" schema:"maxLength=64,pattern=^[!-~]*$"`
	From string `json:"from" doc:"identifier of the other image"`
}

// copyLabelling makes the labelling of another image the first guess.
func (s *Server) copyLabelling(w http.ResponseWriter, r *http.Request) error {
	im, err := s.annotatable(r)
	if err != nil {
		return err
	}
	var body copyJSON
	if err := s.decodeBody(r, &body); err != nil {
		return err
	}
	if body.From == "" {
		return problem.Invalid("The field \"from\" is missing: the identifier of the image whose labelling is copied.")
	}
	if body.ID == "" {
		body.ID = segment.NewID()
	}
	seq, err := s.workspace.CopyLabelling(r.Context(), im.ID, body.From, body.ID)
	if err != nil {
		return err
	}
	return s.answers.JSON(w, http.StatusOK, seqJSON{seq})
}

// guessImage gives an image a guess from its project's model.
func (s *Server) guessImage(w http.ResponseWriter, r *http.Request) error {
	im, err := s.image(r)
	if err != nil {
		return err
	}
	guessed, err := s.workspace.Learner().Guess(r.Context(), im.ID)
	if err != nil && segment.KindOf(err) != segment.Conflict { // somebody else began
		return err
	}
	return s.answers.JSON(w, http.StatusOK, guessJSON{guessed})
}
