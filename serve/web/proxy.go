package web

import (
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// ParseProxy reads a trusted proxy: a network such as 10.0.0.0/8, or one address.
func ParseProxy(text string) (netip.Prefix, error) {
	p, err := netip.ParsePrefix(text) // refuses zones
	if a, failed := netip.ParseAddr(text); failed == nil && a.Zone() == "" {
		p, err = netip.PrefixFrom(a.Unmap(), a.Unmap().BitLen()), nil
	}
	switch {
	case err != nil:
		return p, fmt.Errorf("%q is not a network: give an address, or a network such as 10.0.0.0/8", text)
	case p.Addr().Is4In6():
		return p, fmt.Errorf("%q is an IPv4 network in IPv6: write it as IPv4, such as 10.0.0.0/8", text)
	case p.Bits() == 0:
		return p, fmt.Errorf("%q trusts every address, so a client could claim to be any other: name the proxy's network", text)
	}
	return p.Masked(), nil
}

// proxies are the networks of proxies whose X-Forwarded-For is believed.
type proxies []netip.Prefix

func (p proxies) has(a netip.Addr) bool {
	return slices.ContainsFunc(p, func(net netip.Prefix) bool { return net.Contains(a) })
}

// client returns the address that sent r: the connection's or, where that is a trusted proxy's, the
// last address in X-Forwarded-For that is not a trusted proxy's.
func (p proxies) client(r *http.Request) netip.Addr {
	a := peer(r)
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && p.has(a); i-- {
		hop := addressOf(strings.TrimSpace(hops[i]))
		if !hop.IsValid() {
			break
		}
		a = hop
	}
	return a
}

// peer returns the address at the other end of r's connection.
func peer(r *http.Request) netip.Addr { return addressOf(r.RemoteAddr) }

// addressOf reads an address with or without a port; the zero Addr where text is neither.
func addressOf(text string) netip.Addr {
	if at, err := netip.ParseAddrPort(text); err == nil {
		return at.Addr().Unmap().WithZone("")
	}
	a, _ := netip.ParseAddr(strings.Trim(text, "[]")) // the zero Addr where it fails
	return a.Unmap().WithZone("")
}

// clientKey names a client to whatever counts clients: its address, or the network of 64 bits that
// an IPv6 customer has as a rule.
func clientKey(a netip.Addr) string {
	if a.Is6() {
		if net, err := a.Prefix(64); err == nil {
			return net.String()
		}
	}
	return a.String()
}

// forwarded returns the header by which a proxy makes itself known, "" where there is none.
func forwarded(h http.Header) string {
	for _, name := range slices.Sorted(maps.Keys(h)) {
		if name == "Forwarded" || name == "Via" || name == "X-Real-Ip" || strings.HasPrefix(name, "X-Forwarded-") {
			return name
		}
	}
	return ""
}

// unproxied refuses a request from a proxy that is not trusted, where without tokens everyone whom
// the proxy lets through could do everything.
func (s *Server) unproxied(w http.ResponseWriter, r *http.Request) bool {
	if s.access.needed() || s.Insecure || s.proxies.has(peer(r)) {
		return true
	}
	if name := forwarded(r.Header); name != "" {
		return refuse(w, http.StatusForbidden, "the request came through a proxy (it has the header %s), and this server has no tokens: "+
			"the proxy would open it to others. Set MAPO_ASK_TOKEN or MAPO_ADMIN_TOKEN; or, where the proxy checks its clients itself, "+
			"start with --trusted-proxy %s", name, peer(r))
	}
	return true
}
