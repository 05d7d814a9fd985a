package cluster

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/envconfig"
	tlog "go.temporal.io/sdk/log"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const (
	dialTime  = 7 * time.Second // to say within 10 s that there is no answer
	probeTime = 2 * time.Second // to find out then whether the server speaks TLS
)

// FromEnvironment, in the place of a server's address, stands for the one that the environment or its profile names.
const FromEnvironment = "env"

// Server is how to reach a Temporal server.
type Server struct{ options client.Options }

// ServerOf reads what the Temporal CLI reads too, the TEMPORAL_ variables and the profile of its configuration file.
// The address wins over theirs unless it is [FromEnvironment], and the namespace unless it is empty.
func ServerOf(address, namespace string) (Server, error) {
	options, err := envconfig.LoadClientOptions(envconfig.LoadClientOptionsRequest{})
	if err != nil {
		return Server{}, fmt.Errorf("the settings of Temporal cannot be used: %w: check the TEMPORAL_ variables and the file of TEMPORAL_CONFIG_FILE", err)
	}
	if address != FromEnvironment {
		options.HostPort = address
	}
	if options.HostPort == "" {
		return Server{}, errors.New("no Temporal server is named: give --temporal HOST:PORT, or set TEMPORAL_ADDRESS or a profile that has an address (TEMPORAL_PROFILE)")
	}
	if namespace != "" {
		options.Namespace = namespace
	}
	if options.Namespace == "" {
		options.Namespace = client.DefaultNamespace
	}
	options.Logger = tlog.NewStructuredLogger(slog.New(slog.DiscardHandler))
	return Server{options}, nil
}

// String names the server, its namespace where it is not the default, and how it is spoken with.
func (s Server) String() string {
	text := s.options.HostPort
	if s.options.Namespace != client.DefaultNamespace {
		text += ", namespace " + s.options.Namespace
	}
	return text + map[bool]string{true: ", TLS"}[s.tls() != nil]
}

// tls returns the configuration that the client uses, nil where it speaks plain.
func (s Server) tls() *tls.Config { return s.options.ConnectionOptions.TLS }

// Dial connects to a Temporal server as [ServerOf] finds it, and says within 10 s why that cannot be done.
func Dial(ctx context.Context, address, namespace string) (client.Client, error) {
	s, err := ServerOf(address, namespace)
	if err != nil {
		return nil, err
	}
	return s.Dial(ctx)
}

// Dial connects to the server, and says within 10 s why that cannot be done.
func (s Server) Dial(ctx context.Context) (client.Client, error) {
	within, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	c, err := client.DialContext(within, s.options)
	if err != nil {
		return nil, s.unreached(ctx, err)
	}
	var unknown *serviceerror.NamespaceNotFound
	_, err = c.DescribeTaskQueue(within, "mapo", enums.TASK_QUEUE_TYPE_WORKFLOW)
	switch {
	case errors.As(err, &unknown):
		c.Close()
		return nil, fmt.Errorf("the Temporal server at %s has no namespace %q: make it, or name another with --namespace", s.options.HostPort, s.options.Namespace)
	case refused(err):
		c.Close()
		return nil, s.unreached(ctx, err)
	}
	return c, nil // that it is slow now is not a fault
}

// refused reports whether a server does not accept its client's credentials.
func refused(err error) bool {
	var denied *serviceerror.PermissionDenied
	return errors.As(err, &denied) || status.Code(err) == codes.Unauthenticated
}

// Which variables make what is missing.
const (
	forCA     = "TEMPORAL_TLS_SERVER_CA_CERT_PATH"
	forName   = "TEMPORAL_TLS_SERVER_NAME"
	forClient = "TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH"
)

// unreached returns why a server cannot be used, with the variables to set.
func (s Server) unreached(ctx context.Context, err error) error {
	at := s.options.HostPort
	if refused(err) {
		return fmt.Errorf("the Temporal server at %s refuses this client for namespace %q (%w): check TEMPORAL_API_KEY, or the client certificate, and what they may do",
			at, s.options.Namespace, err)
	}
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	own := s.tls()
	secure := own
	if own == nil {
		secure = &tls.Config{InsecureSkipVerify: true} // only to find out that there is TLS
	}
	answer := probe(ctx, at, secure)
	var (
		plain   tls.RecordHeaderError
		unknown x509.UnknownAuthorityError
		name    x509.HostnameError
		invalid x509.CertificateInvalidError
	)
	said := fmt.Sprint(answer)
	rejected := strings.Contains(said, "remote error: tls:") // crypto/tls has no type for the other side's alerts
	switch {
	case own == nil && (answer == nil || rejected):
		return fmt.Errorf("the Temporal server at %s wants TLS, and this client speaks plain: set TEMPORAL_TLS=true; where the server's certificate is from a CA of your own %s; where the server wants client certificates %s",
			at, forCA, forClient)
	case own == nil:
	case errors.As(answer, &plain), answer != nil && !rejected && probe(ctx, at, nil) == nil:
		return fmt.Errorf("the Temporal server at %s does not speak TLS, and this client does: set TEMPORAL_TLS=false, or leave out TEMPORAL_API_KEY, the other TEMPORAL_TLS_ variables and the profile's", at)
	case errors.As(answer, &unknown):
		return fmt.Errorf("the Temporal server at %s has a certificate from an unknown CA (%w): set %s to the CA's", at, answer, forCA)
	case errors.As(answer, &name):
		return fmt.Errorf("the Temporal server at %s has a certificate of another name (%w): set %s to the name in it", at, answer, forName)
	case errors.As(answer, &invalid):
		return fmt.Errorf("the Temporal server at %s has a certificate that is not valid (%w): check the server's, this machine's clock and %s", at, answer, forCA)
	case rejected && strings.Contains(said, "certificate"):
		return fmt.Errorf("the Temporal server at %s does not accept this client's certificate (%w): set %s to one that it knows", at, answer, forClient)
	case rejected:
		return fmt.Errorf("the Temporal server at %s ends the TLS handshake (%w): check %s", at, answer, forName)
	}
	if answer != nil { // it says the same without gRPC's words around it
		err = answer
	}
	return fmt.Errorf("no Temporal server answers at %s (%w): check the address, or start one with: temporal server start-dev", at, err)
}

// preface is what a client of HTTP/2, gRPC's carrier, begins with, and empty settings.
const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + "\x00\x00\x00\x04\x00\x00\x00\x00\x00"

// probe greets a server as gRPC does, through TLS where a configuration is given, and returns why there is no answer of
// HTTP/2. With TLS 1.3 the server says only after the handshake that it does not accept the client's certificate.
func probe(ctx context.Context, address string, secure *tls.Config) error {
	c, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }() // what it answered is known
	if end, ok := ctx.Deadline(); ok {
		if err := c.SetDeadline(end); err != nil {
			return err
		}
	}
	if secure != nil {
		secure = secure.Clone()
		secure.NextProtos = []string{"h2"}
		if secure.ServerName == "" {
			secure.ServerName, _, _ = net.SplitHostPort(address)
		}
		c = tls.Client(c, secure)
	}
	if _, err := io.WriteString(c, preface); err != nil {
		return err
	}
	frame := make([]byte, 9)
	if _, err := io.ReadFull(c, frame); err != nil {
		return err
	}
	if frame[3] != 4 { // a server's first frame is its settings
		return errors.New("the answer is not HTTP/2")
	}
	return nil
}
