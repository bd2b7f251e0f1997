# Varnish 7.1 in front of two nodes, as /etc/varnish/default.vcl. See docs/operations.md. The tests run this file with
# other addresses, and with these options. Varnish does not accept TLS.
# varnishd -a :8080 -f /etc/varnish/default.vcl -p http_range_support=off -p http_req_hdr_len=40k -p http_req_size=96k -p workspace_client=192k -p http_max_hdr=128
vcl 4.1;

import directors;

probe readiness {
  .url = "/readyz";
  .interval = 250ms;
  .timeout = 1s;
  .window = 2;
  .threshold = 1;
  .initial = 1;
}

backend petstore_1 {
  .host = "10.0.0.11";
  .port = "8080";
  .connect_timeout = 1s;
  .first_byte_timeout = 6s;
  .probe = readiness;
}

backend petstore_2 {
  .host = "10.0.0.12";
  .port = "8080";
  .connect_timeout = 1s;
  .first_byte_timeout = 6s;
  .probe = readiness;
}

sub vcl_init {
  new nodes = directors.round_robin();
  nodes.add_backend(petstore_1);
  nodes.add_backend(petstore_2);
}

sub vcl_recv {
  call vcl_req_host;
  set req.backend_hint = nodes.backend();
  # Nothing is cached.
  return (pass);
}

sub vcl_synth {
  set resp.http.Content-Type = "application/json";
  set resp.body = {"{"code":"malformed_http","message":"The request is not valid HTTP/1.1.","status":"} + resp.status + "}";
  return (deliver);
}

sub vcl_backend_error {
  set beresp.http.Content-Type = "application/json";
  set beresp.http.Retry-After = "1";
  set beresp.body = {"{"code":"store_unavailable","message":"The service is unavailable. Retry later.","status":503}"};
  return (deliver);
}
