package instance

// Fault is an error a person can act on: what happened, and what to do next.
type Fault struct {
	What string
	Next string
}

func (f Fault) Error() string { return f.What + "; " + f.Next }
