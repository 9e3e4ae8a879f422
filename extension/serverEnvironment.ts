/** Settings that the server of this computer is started with, as the variables it reads them from. */

import { delimiter } from 'node:path';
import * as vscode from 'vscode';
import { setting } from './settings.ts';

export function serverEnvironment(): Record<string, string> {
	const roots = setting('models.roots').filter((path) => typeof path === 'string' && path !== '');
	const refuse = setting('models.refuseProvider');
	const device = setting('models.device');
	return {
		...(roots.length === 0 ? {} : { NEARGLOT_MODEL_ROOTS: roots.join(delimiter) }),
		...(refuse === 'named' ? {} : { NEARGLOT_REFUSE_EP: refuse }),
		...(device === 'cpu' ? {} : { NEARGLOT_DEVICE: device }),
		...proxyEnvironment(process.env),
	};
}

/** The proxy of the editor's own settings, where the environment names none. */
export function proxyEnvironment(env: NodeJS.ProcessEnv): Record<string, string> {
	const given = Object.entries(env).some(
		([name, value]) => value && /^(?:nearglot_proxy|(?:https?|all)_proxy)$/i.test(name),
	);
	const http = vscode.workspace.getConfiguration('http');
	const proxy = http.get<string>('proxy');
	if (given || !proxy || http.get('proxySupport') === 'off') return {};
	const around = [env['NO_PROXY'] ?? env['no_proxy'], http.get<readonly string[]>('noProxy')];
	return {
		...{ HTTP_PROXY: proxy, HTTPS_PROXY: proxy },
		NO_PROXY: [...around.flat().filter(Boolean), 'localhost', '127.0.0.1', '[::1]'].join(','),
	};
}
