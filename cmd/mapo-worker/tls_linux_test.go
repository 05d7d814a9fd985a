package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mapo/internal/suite"
)

// authority is a CA whose certificates are files of a folder.
type authority struct {
	t    *testing.T
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	last int64
}

func newAuthority(t *testing.T) *authority {
	a := &authority{t: t, dir: t.TempDir()}
	a.cert, a.key = a.issue("ca", &x509.Certificate{IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign})
	return a
}

// issue makes a certificate and a key, NAME.crt and NAME.key, signed by the CA, or by itself where it is to be the CA.
func (a *authority) issue(name string, c *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey) {
	a.t.Helper()
	a.last++
	c.SerialNumber, c.Subject = big.NewInt(a.last), pkix.Name{CommonName: name}
	c.NotBefore, c.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = c, key
	}
	der, err2 := x509.CreateCertificate(rand.Reader, c, parent, &key.PublicKey, signer)
	private, err3 := x509.MarshalPKCS8PrivateKey(key)
	cert, err4 := x509.ParseCertificate(der)
	for _, err := range []error{err, err2, err3, err4} {
		if err != nil {
			a.t.Fatal(err)
		}
	}
	for suffix, block := range map[string]*pem.Block{".crt": {Type: "CERTIFICATE", Bytes: der}, ".key": {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(filepath.Join(a.dir, name+suffix), pem.EncodeToMemory(block), 0o600); err != nil {
			a.t.Fatal(err)
		}
	}
	return cert, key
}

// pair is the certificate and key of that name, made for a server at host or, where it is empty, for a client.
func (a *authority) pair(name, host string) tls.Certificate {
	a.t.Helper()
	c := &x509.Certificate{ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}
	if host != "" {
		c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
		if ip := net.ParseIP(host); ip != nil {
			c.IPAddresses = []net.IP{ip}
		} else {
			c.DNSNames = []string{host}
		}
	}
	a.issue(name, c)
	pair, err := tls.LoadX509KeyPair(a.file(name+".crt"), a.file(name+".key"))
	if err != nil {
		a.t.Fatal(err)
	}
	return pair
}

func (a *authority) file(name string) string { return filepath.Join(a.dir, name) }

// front ends TLS before the Temporal server, as a load balancer does. It wants client certificates of the CA clients, if
// one is given, and the API key, if it is not empty. calls counts what it has let through.
func (w *world) front(server tls.Certificate, clients *authority, apiKey string) (address string, calls *atomic.Int64) {
	w.t.Helper()
	calls = new(atomic.Int64)
	plain := &http.Transport{Protocols: new(http.Protocols)}
	plain.Protocols.SetUnencryptedHTTP2(true)
	to := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: w.address})
	to.Transport, to.FlushInterval = plain, -1
	to.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) } // a client that is gone
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if apiKey != "" && r.Header.Get("Authorization") != "Bearer "+apiKey {
			w.Header().Set("Content-Type", "application/grpc")
			w.Header().Set("Grpc-Status", "16") // unauthenticated
			return
		}
		calls.Add(1)
		to.ServeHTTP(w, r)
	}))
	s.TLS = &tls.Config{Certificates: []tls.Certificate{server}}
	if clients != nil {
		s.TLS.ClientAuth, s.TLS.ClientCAs = tls.RequireAndVerifyClientCert, x509.NewCertPool()
		s.TLS.ClientCAs.AddCert(clients.cert)
	}
	s.EnableHTTP2 = true
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	w.t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.Listener.Addr().String(), calls
}

// TestTLS carries out a run on a Temporal server behind TLS that wants client certificates and an API key, and asks for
// what a wrong setting is answered with.
func TestTLS(t *testing.T) {
	suite.Long(t, "starts Temporal servers behind TLS")
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "TEMPORAL_") {
			t.Setenv(name, "") // restored in the end
			os.Unsetenv(name)
		}
	}
	t.Setenv("TEMPORAL_CONFIG_FILE", filepath.Join(t.TempDir(), "none"))
	w := newWorld(t)
	ca, other := newAuthority(t), newAuthority(t)
	server := ca.pair("server", "127.0.0.1")
	ca.pair("client", "")
	other.pair("client", "")
	t.Run("run", func(t *testing.T) {
		w.t = t
		w.secured(ca, server)
	})
	w.t = t
	w.misset(ca, other, server)
}

// secured runs with a client certificate and an API key, the settings in variables for the run and in a profile for the
// worker.
func (w *world) secured(ca *authority, server tls.Certificate) {
	address, calls := w.front(server, ca, "secret")
	w.must("run", "spec.yaml", "--out", "whole")
	config := filepath.Join(w.dir, "temporal.toml")
	if err := os.WriteFile(config, []byte(`[profile.tests]
address = "`+address+`"
api_key = "secret"
[profile.tests.tls]
client_cert_path = "`+ca.file("client.crt")+`"
client_key_path = "`+ca.file("client.key")+`"
server_ca_cert_path = "`+ca.file("ca.crt")+`"
`), 0o600); err != nil {
		w.t.Fatal(err)
	}
	profile := []string{"TEMPORAL_CONFIG_FILE=" + config, "TEMPORAL_PROFILE=tests"}
	worker := w.with(profile, "worker", "--store", "store-tls", "--create")
	w.saying(worker, "server "+address+", TLS")
	run := w.with(mutual(ca, ca, "secret"), "run", "spec.yaml", "--out", "tls", "--temporal", address, "--store", "store-tls")
	if err := run.wait(); err != nil {
		w.t.Fatalf("%v\n%s", err, run)
	}
	w.same("tls", "whole")
	run = w.with(profile, "run", "spec.yaml", "--out", "again", "--temporal", "env", "--store", "store-tls")
	if err := run.wait(); err != nil {
		w.t.Fatalf("%v\n%s", err, run)
	}
	w.same("again", "whole")
	if calls.Load() < 50 {
		w.t.Errorf("%d calls went through TLS", calls.Load())
	}
}

// mutual is the variables of a client with a certificate of the CA own, for a server's of the CA ca.
func mutual(own, ca *authority, apiKey string) []string {
	return []string{
		"TEMPORAL_TLS_CLIENT_CERT_PATH=" + own.file("client.crt"), "TEMPORAL_TLS_CLIENT_KEY_PATH=" + own.file("client.key"),
		"TEMPORAL_TLS_SERVER_CA_CERT_PATH=" + ca.file("ca.crt"), "TEMPORAL_API_KEY=" + apiKey,
	}
}

// with starts a command with variables.
func (w *world) with(env []string, args ...string) *service {
	w.t.Helper()
	cmd := exec.Command(filepath.Join(w.bin, "mapo"), args...)
	cmd.Env = append(os.Environ(), env...)
	return w.start(cmd)
}

// misset gives wrong settings, all at once: each is answered with what to set.
func (w *world) misset(ca, other *authority, server tls.Certificate) {
	open, _ := w.front(server, nil, "")
	wantsKey, _ := w.front(server, nil, "secret")
	wantsBoth, _ := w.front(server, ca, "secret")
	named, _ := w.front(ca.pair("named", "temporal.example"), nil, "")
	trusting := "TEMPORAL_TLS_SERVER_CA_CERT_PATH=" + ca.file("ca.crt")
	var wg sync.WaitGroup
	for _, c := range []struct {
		name, address string
		env           []string
		want          []string
	}{
		{"plain to TLS", open, nil, []string{"wants TLS, and this client speaks plain", "TEMPORAL_TLS=true"}},
		{"plain to mTLS", wantsBoth, nil, []string{"wants TLS, and this client speaks plain", "TEMPORAL_TLS_CLIENT_CERT_PATH"}},
		{"TLS to plain", w.address, []string{"TEMPORAL_TLS=true"}, []string{"does not speak TLS, and this client does", "TEMPORAL_TLS=false"}},
		{"API key to plain", w.address, []string{"TEMPORAL_API_KEY=x"}, []string{"does not speak TLS, and this client does", "TEMPORAL_API_KEY"}},
		{"unknown CA", open, []string{"TEMPORAL_TLS=true"}, []string{"unknown CA", "TEMPORAL_TLS_SERVER_CA_CERT_PATH"}},
		{"another CA", open, []string{"TEMPORAL_TLS_SERVER_CA_CERT_PATH=" + other.file("ca.crt")}, []string{"unknown CA"}},
		{"another name", named, []string{trusting}, []string{"certificate of another name", "TEMPORAL_TLS_SERVER_NAME"}},
		{"no client certificate", wantsBoth, []string{trusting}, []string{"does not accept this client's certificate", "TEMPORAL_TLS_CLIENT_CERT_PATH"}},
		{"another's client certificate", wantsBoth, mutual(other, ca, "secret"), []string{"does not accept this client's certificate"}},
		{"no API key", wantsKey, []string{trusting}, []string{"refuses this client", "TEMPORAL_API_KEY"}},
		{"wrong API key", wantsBoth, mutual(ca, ca, "wrong"), []string{"refuses this client", "TEMPORAL_API_KEY"}},
		{"no file", open, []string{"TEMPORAL_TLS_SERVER_CA_CERT_PATH=/none.crt"}, []string{"/none.crt", "check the TEMPORAL_ variables"}},
		{"no profile", open, []string{"TEMPORAL_PROFILE=none"}, []string{"unable to find profile none", "TEMPORAL_CONFIG_FILE"}},
		{"no address", "env", nil, []string{"no Temporal server is named", "TEMPORAL_ADDRESS"}},
		{"nobody", "127.0.0.1:1", []string{"TEMPORAL_TLS=true"}, []string{"no Temporal server answers"}},
	} {
		wg.Go(func() {
			begin := time.Now()
			s := w.with(c.env, "worker", "--temporal", c.address, "--store", "store-misset", "--create")
			err := s.wait()
			for _, want := range c.want {
				if err == nil || !strings.Contains(s.String(), want) {
					w.t.Errorf("%s: %v, %s; want %q", c.name, err, s, want)
				}
			}
			w.t.Logf("%s: %v", c.name, time.Since(begin).Round(time.Millisecond))
			if n, took := strings.Count(s.String(), "\n"), time.Since(begin); n != 1 || took > suite.Patience {
				w.t.Errorf("%s: %d lines after %v: %s", c.name, n, took, s)
			}
		})
	}
	wg.Wait()
	for _, c := range []struct {
		address string
		env     []string
	}{
		{open, []string{trusting}},
		{named, []string{trusting, "TEMPORAL_TLS_SERVER_NAME=temporal.example"}},
		{wantsBoth, append(mutual(ca, ca, "secret"), "TEMPORAL_NAMESPACE=default")},
		{w.address, []string{"TEMPORAL_API_KEY=x", "TEMPORAL_TLS=false"}},
		{"env", []string{"TEMPORAL_ADDRESS=" + w.address}},
	} {
		s := w.with(c.env, "worker", "--temporal", c.address, "--store", "store-misset", "--create")
		w.saying(s, "serving")
		s.ctrlC()
	}
}
