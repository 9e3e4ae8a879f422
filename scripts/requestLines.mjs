/**
 * A request to the server as each system's shells take it: cmd knows no single quotes, and in the PowerShell that comes
 * with Windows `curl` is another program.
 */

/** Lines that ask the chat at an address of the server. */
export function requestLines(url, platform) {
	const messages = [{ role: 'user', content: 'extract a tar.gz file' }];
	const address = `${url}/v1/chat/completions`;
	const whole = JSON.stringify({ model: 'starter-chat', messages });
	if (platform === 'win32')
		return [
			`PowerShell: Invoke-RestMethod ${address} -Method Post -ContentType application/json -Body '${whole}'`,
			`cmd:        curl ${address} -H "Content-Type: application/json" -d "${whole.replaceAll('"', '\\"')}"`,
		];
	const streamed = JSON.stringify({ model: 'starter-chat', stream: true, messages });
	return [
		`curl -N ${address} -H 'Content-Type: application/json' -H 'Accept: text/event-stream' -d '${streamed}'`,
	];
}
