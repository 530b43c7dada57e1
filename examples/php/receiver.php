<?php
// Takes deliveries of Stopwatch, with the standard library alone: php -S localhost:4000 receiver.php

/** Returns the status to answer with, and the seconds until the next attempt. */
function on_delivery(string $body): array
{
    $order = json_decode($body, flags: JSON_THROW_ON_ERROR)->order;
    if ($order === 'cancelled') return [410, null]; // no attempt follows
    if ($order === 'unpaid') return [503, 60]; // the next attempt comes in 60 s, or later
    error_log("reminded of $order");
    return [200, null];
}

function is_signed(string $id, string $sent_at, string $signatures, string $body): bool
{
    if (str_contains($id, '.') || !ctype_digit($sent_at) || abs(time() - $sent_at) > 300) return false;
    $is_right = false;
    foreach (['STOPWATCH_SECRET', 'STOPWATCH_SECRET_NEXT'] as $name) {
        $key = base64_decode(preg_replace('/^whsec_/', '', getenv($name)), true);
        if (strlen($key) < 24) throw new Exception("$name is not a signing secret");
        $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$sent_at.$body", $key, true));
        foreach (explode(' ', $signatures) as $given) $is_right = hash_equals($expected, $given) || $is_right;
    }
    return $is_right;
}

/** Runs a delivery, unless it is forged or was run before. */
function handle(): array
{
    $body = file_get_contents('php://input');
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $sent_at = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    if (!is_signed($id, $sent_at, $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '', $body)) return [401, null];

    // A file for each schedule: locked while it is at work, with a text once it is done. A table of your database,
    // once there is more than one machine.
    $folder = getenv('STATE_FOLDER') ?: sys_get_temp_dir() . '/stopwatch';
    if (!is_dir($folder)) mkdir($folder, 0700, true);
    $file = fopen("$folder/" . hash('sha256', $id), 'c+');
    if (!flock($file, LOCK_EX | LOCK_NB)) return [503, 30];
    if (fgets($file) === 'done') return [200, null];
    $answer = on_delivery($body);
    if ($answer[0] === 200) fwrite($file, 'done');
    return $answer;
}

try {
    [$status, $retry_after] = handle();
} catch (Throwable $error) {
    error_log($error);
    [$status, $retry_after] = [500, null];
}
http_response_code($status);
if ($retry_after) header("Retry-After: $retry_after");
