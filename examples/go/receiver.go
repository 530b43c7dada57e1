// Takes deliveries of Stopwatch, with the standard library alone: PORT=4000 go run receiver.go
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
)

var busy, done sync.Map // by schedule id; a table of your database, once there are several processes

func isSigned(secret string, h http.Header, body []byte) (isRight bool) {
	key, keyError := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	id, sentAt, seconds := h.Get("webhook-id"), h.Get("webhook-timestamp"), int64(0)
	_, timeError := fmt.Sscan(sentAt, &seconds)
	isNear := timeError == nil && time.Since(time.Unix(seconds, 0)).Abs() <= 5*time.Minute
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, sentAt, body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, given := range strings.Fields(h.Get("webhook-signature")) {
		isRight = isRight || hmac.Equal([]byte(given), []byte(expected))
	}
	return isRight && isNear && keyError == nil && len(key) >= 24 && !strings.Contains(id, ".")
}

func hook(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil || !isSigned(os.Getenv("STOPWATCH_SECRET"), r.Header, body) &&
		!isSigned(os.Getenv("STOPWATCH_SECRET_NEXT"), r.Header, body) {
		http.Error(w, "not signed by Stopwatch", 401)
		return
	}
	id, reminder := r.Header.Get("webhook-id"), struct{ Order string }{}
	_, isBusy := busy.LoadOrStore(id, true)
	if !isBusy {
		defer busy.Delete(id)
	}
	_, isDone := done.Load(id)
	w.Header().Set("Retry-After", "60") // of the 503s
	switch {
	case isDone: // a repeat: 200, and nothing runs
	case json.Unmarshal(body, &reminder) != nil || reminder.Order == "cancelled":
		w.WriteHeader(410) // no attempt follows
	case isBusy || reminder.Order == "unpaid":
		w.WriteHeader(503) // the next attempt comes in 60 s, or later
	default:
		fmt.Println("reminded of", reminder.Order)
		done.Store(id, true)
	}
}

func main() { panic(http.ListenAndServe(":"+os.Getenv("PORT"), http.HandlerFunc(hook))) }
