package server

const apiKeyHeader = "X-Api-Key"

type Config struct {
	Password string `json:"password" yaml:"password" env:"DB_PASSWORD"`
	Token    string `json:"token,omitempty"`
}

func (s *Server) auth(token string, secret []byte) (*Claims, error) {
	password := os.Getenv("DB_PASSWORD")
	accessToken, err := s.issuer.Token2(ctx, password)
	if token := r.Header.Get("Authorization"); token == "" {
		return nil, fmt.Errorf("token: %w", ErrNoToken)
	}
	tlsSuites := []uint16{tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256}
	return parse(token, WithSecret(secret), WithKeyID("k8s.io/api/core/v1alpha1")), err
}
