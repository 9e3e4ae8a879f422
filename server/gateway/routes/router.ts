/** Finds and runs the route of a path under the prefix. */

import { AppError } from '../../protocol/errors.ts';
import { emulateRoute } from '../emulate/emulatePage.ts';
import { meRoute, refreshRoute } from './accountRoutes.ts';
import { callbackRoute } from './callback.ts';
import { clientLoginRoute } from './clientLogin.ts';
import { doneRoute } from './completionPage.ts';
import {
	deviceApproveRoute,
	devicePageRoute,
	deviceStartRoute,
	deviceTokenRoute,
} from './device.ts';
import { noteFailure, problemOf, sendFailure } from './failures.ts';
import { handoffConfirmRoute, handoffPageRoute } from './handoff.ts';
import { healthRoute, providersRoute, readyRoute } from './info.ts';
import { chooserRoute, loginRoute } from './login.ts';
import { logoutDoneRoute, logoutRoute } from './logout.ts';
import { redeemRoute } from './redeem.ts';
import { type GatewayRoute, type RequestContext, sendEmpty } from './requestContext.ts';

type Methods = Readonly<Record<string, GatewayRoute>>;

const get = (route: GatewayRoute): Methods => ({ GET: route, HEAD: route });

/** Paths below the prefix; `*` is the provider. */
const routes: Readonly<Record<string, Methods>> = {
	'/login': get(chooserRoute),
	'/login/done': get(doneRoute),
	'/login/*': { GET: loginRoute, POST: clientLoginRoute },
	'/login/*/callback': { GET: callbackRoute, POST: callbackRoute },
	'/login/*/token': { GET: redeemRoute, POST: redeemRoute },
	'/logout': { GET: logoutRoute, POST: logoutRoute },
	'/logout/done': get(logoutDoneRoute),
	'/me': get(meRoute),
	'/refresh': { GET: refreshRoute, POST: refreshRoute },
	'/handoff': { GET: handoffPageRoute, POST: handoffConfirmRoute },
	'/device': { GET: devicePageRoute, POST: deviceStartRoute },
	'/device/token': { POST: deviceTokenRoute },
	'/device/approve': { POST: deviceApproveRoute },
	'/providers': get(providersRoute),
	'/emulate': get(emulateRoute),
	'/healthz': get(healthRoute),
	'/readyz': get(readyRoute),
};

/** Runs the route of a plainly spelled path below the prefix and answers every failure. */
export async function runRoute(exchange: RequestContext): Promise<void> {
	const { head, context } = exchange;
	const path = head.path.slice(context.settings.apiPrefix.length) || '/';
	const name = /^\/login\/([^/]+)/.exec(path)?.[1] ?? '';
	const key = name === 'done' ? path : path.replace(/^\/login\/[^/]+/, '/login/*');
	await runSafely(exchange, async () => {
		const methods = Object.hasOwn(routes, key) ? routes[key] : undefined;
		if (!methods) throw new AppError('not_found', 'There is no such page of the sign-in layer.');
		const route = Object.hasOwn(methods, head.method) ? methods[head.method] : undefined;
		if (!route) {
			exchange.response.setHeader('Allow', Object.keys(methods).join(', '));
			throw new AppError('method_not_allowed', `${head.method} is not possible here.`);
		}
		await route(exchange, name);
	});
}

/** Runs something and turns what it throws into an answer. */
export async function runSafely(
	exchange: RequestContext,
	work: () => Promise<void>,
): Promise<void> {
	try {
		await work();
	} catch (error) {
		if (exchange.response.destroyed) return;
		noteFailure(error, exchange.context, exchange.head);
		const problem = problemOf(error);
		if (problem.status === 499) sendEmpty(exchange, 499);
		else sendFailure(exchange, problem);
	}
}
