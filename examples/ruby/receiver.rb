# Takes deliveries of Stopwatch, with the standard library alone: ruby receiver.rb
require "json"
require "openssl"
require "socket"
require "stringio"

KEYS = %w[STOPWATCH_SECRET STOPWATCH_SECRET_NEXT].map { |name| ENV.fetch(name).delete_prefix("whsec_").unpack1("m0") }
abort "a signing secret is too short" if KEYS.any? { |key| key.bytesize < 24 }
STATES = {} # schedule id => :busy or :done; a table of your database, once there is more than one process
LOCK = Mutex.new

# Returns the status to answer with, and the headers.
def on_delivery(body)
  order = JSON.parse(body).fetch("order")
  return [410, {}] if order == "cancelled" # no attempt follows
  return [503, { "retry-after" => "60" }] if order == "unpaid" # the next attempt comes in 60 s, or later
  puts "reminded of #{order}"
  [200, {}]
end

def signed?(id, sent_at, signatures, body)
  return false if id.include?(".") || !sent_at.match?(/\A\d+\z/) || (Time.now.to_i - sent_at.to_i).abs > 300
  macs = KEYS.map { |key| "v1," + [OpenSSL::HMAC.digest("SHA256", key, "#{id}.#{sent_at}.".b + body)].pack("m0") }
  signatures.split.product(macs).any? { |given, mac| OpenSSL.secure_compare(given, mac) }
end

# A Rack application: `run Receiver` in config.ru serves it with Puma, Rails mounts it.
Receiver = lambda do |env|
  body = env["rack.input"]&.read || ""
  id, *rest = %w[ID TIMESTAMP SIGNATURE].map { |name| env.fetch("HTTP_WEBHOOK_#{name}", "") }
  next [401, {}, []] unless signed?(id, *rest, body)
  state = LOCK.synchronize { STATES[id].tap { |known| STATES[id] ||= :busy } }
  next [200, {}, []] if state == :done
  next [503, { "retry-after" => "30" }, []] if state == :busy
  begin
    status, headers = on_delivery(body)
    [status, headers, []]
  ensure
    status == 200 ? STATES[id] = :done : STATES.delete(id)
  end
end

# Ruby has no server of its own any more. This one is enough for a try.
if $PROGRAM_NAME == __FILE__
  $stdout.sync = true
  Socket.tcp_server_loop("localhost", ENV.fetch("PORT", 4000)) do |connection|
    Thread.new(connection) do |socket|
      headers = socket.each_line(chomp: true).take_while { |line| line != "" }.drop(1).map { |line| line.split(": ", 2) }
      env = headers.to_h { |name, value| ["HTTP_#{name.upcase.tr("-", "_")}", value] }
      env["rack.input"] = StringIO.new(socket.read(env["HTTP_CONTENT_LENGTH"].to_i))
      status, answer = Receiver.call(env)
      socket.print "HTTP/1.1 #{status} \r\n#{answer.map { |pair| pair.join(": ") + "\r\n" }.join}connection: close\r\n\r\n"
    rescue => error
      warn error.full_message
      socket.print "HTTP/1.1 500 \r\n\r\n"
    ensure
      socket.close
    end
  end
end
