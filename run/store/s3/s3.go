package s3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"mapo/run/store"
)

const (
	s3Patience  = 10 * time.Second // for a response's beginning; then the request is made again
	s3Operation = 2 * time.Minute  // for a call with all its retries
	s3Probe     = 8 * time.Second  // for finding out at the start whether the bucket can be used
	s3Retries   = 1000             // of a request, about one a second: s3Operation ends them
	s3Rounds    = 5                // of put, look, put over what is corrupt, where several write at once
)

// Store is a [store.Store] in a bucket of S3 or what speaks its protocol; names stand behind a prefix. Open it with
// [Open]. What stands under a name soundly is never replaced: Put asks the server to write only where nothing is
// (If-None-Match), or only over the corrupt object it saw (If-Match). Requests that fail for reasons that may pass
// are made again for two minutes, so a server may be away for a while.
type Store struct {
	client         *minio.Client
	bucket, prefix string
	place          string // as the user wrote it, for messages
}

var _ store.Store = (*Store)(nil)

// Open opens the store at s3://BUCKET/PREFIX?endpoint=URL&region=NAME. Endpoint (such as http://127.0.0.1:9000;
// default Amazon's) and region may be left out. Credentials are AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and
// AWS_SESSION_TOKEN of the environment. It tries one small write, so that an unreachable server, wrong
// credentials or a missing bucket is said within 10 s and before any work is done.
func Open(ctx context.Context, place string) (*Store, error) {
	s, options, endpoint, err := parseS3(place)
	if err != nil {
		return nil, err
	}
	probe := options
	probe.MaxRetries = 2
	if s.client, err = minio.New(endpoint, &probe); err != nil {
		return nil, s.fault("open", place, err)
	}
	brief, cancel := context.WithTimeout(ctx, s3Probe)
	defer cancel()
	if err := s.probe(brief); err != nil {
		return nil, s.fault("open", place, err)
	}
	if s.client, err = minio.New(endpoint, &options); err != nil {
		return nil, s.fault("open", place, err)
	}
	return s, nil
}

// parseS3 reads a place: what of it a store is made of, and how to make its client.
func parseS3(place string) (s *Store, options minio.Options, endpoint string, err error) {
	wrong := func(what string) error {
		return fmt.Errorf("store: %s: %s: write it as s3://BUCKET/PREFIX?endpoint=https://HOST:PORT", place, what)
	}
	u, err := url.Parse(place)
	if err != nil || u.Scheme != "s3" || u.Host == "" {
		return nil, options, "", wrong("it names no bucket")
	}
	if u.User != nil {
		return nil, options, "", wrong("credentials do not belong here but in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	}
	prefix := strings.Trim(u.Path, "/")
	if prefix != "" && store.CheckName(prefix) != nil {
		return nil, options, "", wrong(fmt.Sprintf("the prefix %q has other characters than letters, digits, - _ + . and /", prefix))
	}
	for key := range u.Query() {
		if key != "endpoint" && key != "region" {
			return nil, options, "", wrong(fmt.Sprintf("%q is neither endpoint nor region", key))
		}
	}
	if os.Getenv("AWS_ACCESS_KEY_ID") == "" || os.Getenv("AWS_SECRET_ACCESS_KEY") == "" {
		return nil, options, "", fmt.Errorf("store: open %s: there are no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY", place)
	}
	options = minio.Options{Creds: credentials.NewEnvAWS(), Secure: true, MaxRetries: s3Retries, Region: u.Query().Get("region")}
	if options.Region == "" {
		options.Region = os.Getenv("AWS_REGION")
	}
	endpoint = "s3.amazonaws.com"
	if given := u.Query().Get("endpoint"); given != "" {
		e, err := url.Parse(given)
		if err != nil || e.Host == "" || e.Scheme != "http" && e.Scheme != "https" || strings.Trim(e.Path, "/") != "" {
			return nil, options, "", wrong(fmt.Sprintf("the endpoint %q is not an http:// or https:// address", given))
		}
		endpoint, options.Secure = e.Host, e.Scheme == "https"
		if options.Region == "" {
			options.Region = "us-east-1" // what other servers than Amazon's take
		}
	}
	transport, err := minio.DefaultTransport(options.Secure)
	if err != nil {
		return nil, options, "", err
	}
	transport.ResponseHeaderTimeout = s3Patience
	options.Transport = http.RoundTripper(transport)
	if prefix != "" {
		prefix += "/"
	}
	return &Store{bucket: u.Host, prefix: prefix, place: place}, options, endpoint, nil
}

// probe writes and removes an object whose name no store accepts, so that it cannot be another's.
func (s *Store) probe(ctx context.Context) error {
	const name = ".probe"
	if err := s.write(ctx, name, []byte("mapo"), minio.PutObjectOptions{}); err != nil {
		return err
	}
	return s.client.RemoveObject(ctx, s.bucket, s.prefix+name, minio.RemoveObjectOptions{})
}

// Get implements Store.
func (s *Store) Get(ctx context.Context, name string) ([]byte, error) {
	if err := store.Ready(ctx, name); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, s3Operation)
	defer cancel()
	blob, _, err := s.read(ctx, name)
	if err != nil {
		return nil, s.fault("read", name, err)
	}
	data, err := store.Unseal(name, blob)
	if err != nil {
		return nil, fmt.Errorf("store: read %s: %w (object %s%s of bucket %s)", name, err, s.prefix, name, s.bucket)
	}
	return data, nil
}

// read returns an object as it is stored, and its ETag. A response that breaks off is asked for again; the
// client does so only for one that does not begin.
func (s *Store) read(ctx context.Context, name string) (blob []byte, etag string, err error) {
	for range s3Rounds {
		var o *minio.Object
		if o, err = s.client.GetObject(ctx, s.bucket, s.prefix+name, minio.GetObjectOptions{}); err != nil {
			return nil, "", err
		}
		var info minio.ObjectInfo
		if blob, err = io.ReadAll(o); err == nil {
			info, err = o.Stat()
		}
		_ = o.Close() // it was only read
		if err == nil || ctx.Err() != nil || minio.ToErrorResponse(err).StatusCode != 0 {
			return blob, info.ETag, err
		}
	}
	return nil, "", err
}

// Put implements Store. Where a sound object is under the name already, it stays.
func (s *Store) Put(ctx context.Context, name string, data []byte) error {
	if err := store.Ready(ctx, name); err != nil {
		return err
	}
	_, err := s.put(ctx, name, data)
	return err
}

// PutNew implements Store.
func (s *Store) PutNew(ctx context.Context, name string, data []byte) ([]byte, error) {
	if err := store.Ready(ctx, name); err != nil {
		return nil, err
	}
	return s.put(ctx, name, data)
}

// put writes data where no sound object is, and returns what stands under the name then.
func (s *Store) put(ctx context.Context, name string, data []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, s3Operation)
	defer cancel()
	var o minio.PutObjectOptions
	o.SetMatchETagExcept("*")
	var err error
	for range s3Rounds {
		if err = s.write(ctx, name, store.Seal(name, data), o); err == nil {
			return data, nil
		}
		if code := minio.ToErrorResponse(err).StatusCode; code != http.StatusPreconditionFailed && code != http.StatusConflict && code != http.StatusNotFound {
			break
		}
		blob, etag, rerr := s.read(ctx, name)
		switch there, serr := store.Unseal(name, blob); {
		case errors.Is(s.fault("read", name, rerr), fs.ErrNotExist): // another attempt removed it meanwhile
			o = minio.PutObjectOptions{}
			o.SetMatchETagExcept("*")
		case rerr != nil:
			return nil, s.fault("write", name, rerr)
		case serr == nil:
			return there, nil
		default: // corrupt: put over this one and no other
			o = minio.PutObjectOptions{}
			o.SetMatchETag(etag)
		}
	}
	return nil, s.fault("write", name, err)
}

// write sends one request, however large the object is: parts put one by one would need another to
// join them.
func (s *Store) write(ctx context.Context, name string, blob []byte, o minio.PutObjectOptions) error {
	o.ContentType, o.SendContentMd5, o.DisableMultipart = "application/octet-stream", true, true
	_, err := s.client.PutObject(ctx, s.bucket, s.prefix+name, bytes.NewReader(blob), int64(len(blob)), o)
	return err
}

// List implements Store. Cost: a request a thousand names.
func (s *Store) List(ctx context.Context, prefix string) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("store: list %q: %w", prefix, err)
	}
	if !store.CanBegin(prefix) {
		return nil, nil // no name starts so
	}
	ctx, cancel := context.WithTimeout(ctx, s3Operation)
	defer cancel()
	var names []string
	for o := range s.client.ListObjects(ctx, s.bucket, minio.ListObjectsOptions{Prefix: s.prefix + prefix, Recursive: true}) {
		if o.Err != nil {
			return nil, s.fault("list", prefix, o.Err)
		}
		if name := strings.TrimPrefix(o.Key, s.prefix); store.CheckName(name) == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// Delete implements Store.
func (s *Store) Delete(ctx context.Context, name string) error {
	if err := store.Ready(ctx, name); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, s3Operation)
	defer cancel()
	err := s.client.RemoveObject(ctx, s.bucket, s.prefix+name, minio.RemoveObjectOptions{})
	if err = s.fault("delete", name, err); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// fault turns a client's error into one line with the object, the cause and, where there is one, the remedy.
func (s *Store) fault(op, name string, err error) error {
	if err == nil {
		return nil
	}
	answer := minio.ToErrorResponse(err)
	says := func(remedy string) error {
		return store.NewFault(fmt.Errorf("store: %s %s: %w (bucket %s: %s)", op, name, err, s.bucket, remedy))
	}
	switch answer.Code {
	case "NoSuchKey":
		return fmt.Errorf("store: %s %s: %w", op, name, fs.ErrNotExist)
	case "NoSuchBucket":
		return says("make it, or name another in --store")
	case "InvalidAccessKeyId", "SignatureDoesNotMatch", "AccessDenied", "InvalidToken", "ExpiredToken", "InvalidTokenId":
		return says("check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and that they may read, write, list and delete there")
	case "QuotaExceeded", "XMinioStorageFull", "InsufficientStorage":
		return says("make room there; what was stored before is intact")
	}
	var out *url.Error
	if errors.As(err, &out) || errors.Is(err, context.DeadlineExceeded) {
		return says("its server cannot be reached: check the endpoint and the network")
	}
	return store.NewFault(fmt.Errorf("store: %s %s: %w", op, name, err))
}
