/** The address a request names, before anything is made of it: its path, of this server and no other. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../protocol/index.ts';
import { errorResponse } from './httpErrors.ts';

const noPath = 'The address of the request is no path, such as /v1/models.';

/**
 * Makes the target of a request a path. A whole address (`GET http://host/path`, as proxies send it) counts
 * for more than the Host header, so both have to name the same.
 *
 * @throws AppError `invalid_request`
 */
export function settleTarget(request: Pick<IncomingMessage, 'url' | 'headers'>): void {
	const { url = '', headers } = request;
	const host = headers.host ?? '';
	if (!URL.canParse(`http://${host}/`))
		throw new AppError('invalid_request', 'The request has no Host header that names a server.');
	if (url.startsWith('/')) return;
	const whole = /^https?:\/\/([^/?#]+)((?:[/?][^#]*)?)$/i.exec(url);
	if (whole === null) throw new AppError('invalid_request', noPath);
	const [, authority = '', rest = ''] = whole;
	if (authority.toLowerCase() !== host.toLowerCase())
		throw new AppError(
			'invalid_request',
			`The request names the server '${authority.slice(0, 80)}' in its address and '${host.slice(0, 80)}' in its Host header.`,
		);
	request.url = rest.startsWith('/') ? rest : `/${rest}`;
}

/** Answers what has not become a request. */
export async function refuseTarget(response: ServerResponse, error: AppError): Promise<void> {
	const answer = errorResponse(error);
	const body = Buffer.from(await answer.arrayBuffer());
	response
		.writeHead(answer.status, {
			...Object.fromEntries(answer.headers),
			'content-length': body.length,
			connection: 'close',
		})
		.end(body);
}
