/** Secrets between the layer and the app behind it, from settings and environment. */

import { secretProblem } from '../keys/secretProblem.ts';
import { gatewaySecretName } from '../keys/sharedSecret.ts';
import type { Problems } from './configProblems.ts';
import type { GatewaySettings } from './gatewaySettings.ts';
import type { OwnSettings } from './schema.ts';

/** The key of a model server makes its owner, so it goes nowhere: what it signs is enough. */
const ownersKeySetting = 'NEARGLOT_KEY';

/**
 * What the app behind the layer is told so that it believes the rest: a header of its own choosing, and the
 * secret by which a Nearglot model server is told who is signed in.
 */
export function parseUpstreamSecrets(
	{ upstreamSecret }: OwnSettings,
	env: NodeJS.ProcessEnv,
	problems: Problems,
): Pick<GatewaySettings['headers'], 'upstreamSecret' | 'personSecret'> {
	const shared = env[gatewaySecretName] || undefined;
	const weak = shared === undefined ? undefined : secretProblem(shared);
	if (weak !== undefined) problems.error(gatewaySecretName, weak);
	const { header: name, settingName: setting } = upstreamSecret;
	if (name === undefined && setting === undefined)
		return { upstreamSecret: undefined, personSecret: shared };
	const value = env[setting ?? ''];
	const guessable = value ? secretProblem(signingPart(value) ?? '') : undefined;
	if (guessable !== undefined)
		problems.error('x-gateway.upstreamSecret', `names ${setting}, which ${guessable}`);
	if (setting === ownersKeySetting) {
		problems.warn(
			'x-gateway.upstreamSecret',
			`names ${ownersKeySetting}, the key of the model server’s owner, which is not sent any more. Remove the setting, and give the gateway and the model server the same ${gatewaySecretName} instead.`,
		);
		return { upstreamSecret: undefined, personSecret: shared ?? signingPart(value) };
	}
	if (name === undefined || !value) {
		problems.error(
			'x-gateway.upstreamSecret',
			'needs header and settingName, and the variable it names must be set.',
		);
		return { upstreamSecret: undefined, personSecret: shared };
	}
	if (!/^[\x20-\x7e]+$/.test(value))
		problems.error(
			'x-gateway.upstreamSecret',
			`names ${setting}, which holds letters that no header can carry: use ASCII letters, digits and signs.`,
		);
	// Under another name it may be that key all the same; the model server takes it for a signature only.
	return { upstreamSecret: { name, value }, personSecret: shared ?? signingPart(value) };
}

/** A header's value without its scheme. */
const signingPart = (value: string | undefined): string | undefined =>
	value?.replace(/^Bearer\s+/i, '') || undefined;
