/** What people do at the layer. Whatever fails behind it, they hear something that they can act on. */

import { browserHeaders, pair, sessionOf } from '../../test/gateway/support/harness.ts';
import { type RawAnswer, rawCall } from '../../test/gateway/support/rawHttp.ts';
import type { LayerStage } from './layerStage.ts';
import { pick } from './scene.ts';

/** No answer within this time is no answer. */
const maxAnswerMs = 20_000;

/** Asks a replica; `undefined` where it was killed meanwhile. */
export async function ask(
	stage: LayerStage,
	index: number,
	target: string,
	headers: readonly string[],
): Promise<RawAnswer | undefined> {
	const replica = stage.replicas[index]!;
	const began = performance.now();
	const answer = await rawCall(replica.port, { target, headers }).catch((error: unknown) => {
		if (performance.now() - began > maxAnswerMs - 500)
			throw new Error(`${target} was not answered: ${String(error)}`);
		return undefined;
	});
	if (answer === undefined || answer.status === 0) {
		// A connection is gone before its process is known to be.
		if (replica.child.killed) return undefined;
		throw new Error(`${target} broke off though the replica lives`);
	}
	if (answer.status === 503 && answer.header('retry-after') === undefined)
		throw new Error(`${target}: 503 without Retry-After`);
	if (answer.status >= 500 && answer.status !== 503)
		throw new Error(`${target}: ${answer.status} ${answer.body.slice(0, 300)}`);
	return answer;
}

/** Signs somebody in, begun at one replica and finished at another; the cookie, if it worked. */
export async function signIn(
	stage: LayerStage,
	between: () => Promise<void> | void = () => {},
): Promise<string | undefined> {
	const [one, two] = [0, 1].map(() => pick(stage.random, [0, 1])) as [number, number];
	const login = '/.auth/login/corp?post_login_redirect_uri=/app';
	const begun = await ask(stage, one, login, browserHeaders);
	if (begun?.status !== 302) return undefined;
	const back = stage.provider.authorize(begun.header('location') ?? '');
	const kept = `Cookie: ${begun.setCookies().map(pair).join('; ')}`;
	await between();
	const done = await ask(stage, two, back.pathname + back.search, [...browserHeaders, kept]);
	if (done?.status !== 302 || done.header('location') !== '/app') return undefined;
	const cookie = `Cookie: ${sessionOf(done)}`;
	stage.signedIn.add(cookie);
	return cookie;
}

/** Signs somebody out; who heard that it is done is not to come in again. */
export async function signOut(stage: LayerStage, cookie: string): Promise<void> {
	stage.signedIn.delete(cookie);
	const out = await ask(stage, pick(stage.random, [0, 1]), '/.auth/logout', [
		...browserHeaders,
		cookie,
	]);
	if (out?.status === 302) stage.signedOut.add(cookie);
}

export const somebody = ({ random, signedIn }: LayerStage): string | undefined =>
	signedIn.size === 0 ? undefined : pick(random, [...signedIn]);

/** A stream of a session; whether it came to its end. */
export async function stream(stage: LayerStage, index: number, cookie: string): Promise<boolean> {
	const answer = await ask(stage, index, '/events', [cookie]);
	return answer?.status === 200 && answer.body.includes('data: [DONE]');
}
