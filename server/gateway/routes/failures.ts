/** Turns what went wrong in a route into an answer: a page for people, problem+json for programs. */

import { AppError } from '../../protocol/errors.ts';
import { asAppError } from '../../protocol/errorWire.ts';
import { acceptsHtml } from '../access/callerKind.ts';
import type { GatewayContext } from '../context.ts';
import { ProviderError, type ProviderFailure } from '../providers/provider.ts';
import { type Problem, sendProblem } from '../proxy/problem.ts';
import type { RequestHead } from '../proxy/requestHead.ts';
import { link, paragraph, renderPage } from './renderPage.ts';
import { type RequestContext, sendPage } from './requestContext.ts';

const statuses: Readonly<Record<ProviderFailure, number>> = {
	denied: 403,
	rejected: 401,
	revoked: 403,
	unreachable: 502,
	unsupported: 400,
	malformed: 400,
};

/** The problem an error stands for. */
export function problemOf(error: unknown): Problem {
	if (error instanceof ProviderError) {
		const status = statuses[error.failure];
		return {
			status,
			code: `provider_${error.failure}`,
			detail: error.message,
			...(status === 502 ? { headers: { 'Retry-After': '10' } } : {}),
		};
	}
	const known = asAppError(error);
	const detail = error instanceof AppError ? known.message : known.kind.sentence;
	return {
		status: known.kind.httpStatus,
		code: known.code,
		detail,
		...(known.retryAfterS === undefined
			? {}
			: { headers: { 'Retry-After': String(known.retryAfterS) } }),
	};
}

const titles: Readonly<Record<number, string>> = {
	400: 'That request cannot be used',
	401: 'Signing in did not work',
	403: 'Not allowed',
	404: 'There is nothing here',
	429: 'Too many tries',
	502: 'The sign-in provider does not answer',
	503: 'Not available right now',
};

/** Answers a failed route. */
export function sendFailure(exchange: RequestContext, problem: Problem, retry?: string): void {
	if (exchange.head.method === 'POST' || !acceptsHtml(exchange.head)) {
		if (exchange.corsOrigin !== undefined && !exchange.response.headersSent) {
			exchange.response.setHeader('Access-Control-Allow-Origin', exchange.corsOrigin);
			exchange.response.setHeader('Vary', 'Origin');
		}
		sendProblem(exchange.response, problem);
		return;
	}
	const again = retry ?? `${exchange.context.settings.apiPrefix}/login`;
	const body = paragraph(problem.detail) + (problem.status === 404 ? '' : link(again, 'Try again'));
	for (const [name, value] of Object.entries(problem.headers ?? {}))
		exchange.response.setHeader(name, value);
	sendPage(
		exchange,
		renderPage({ title: titles[problem.status] ?? 'Something went wrong', body }),
		{ status: problem.status },
	);
}

/** Counts what the operator of the layer must see. */
export function noteFailure(error: unknown, context: GatewayContext, head: RequestHead): void {
	if (error instanceof AppError && error.code === 'store_unavailable') {
		context.metrics.count('nearglot_gateway_store_errors_total');
	} else if (!(error instanceof AppError) && !(error instanceof ProviderError)) {
		context.audit.write({
			event: 'request_refused',
			clientIp: head.clientIp,
			path: head.path,
			reason: `internal: ${error instanceof Error ? error.message : String(error)}`,
			status: 500,
		});
	}
}
