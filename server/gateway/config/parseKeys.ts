/** Keys that the operator gives in environment variables, under the published names or own ones. */

import { hexKeyProblem } from '../keys/secretProblem.ts';
import type { Problems } from './configProblems.ts';
import type { GatewaySettings } from './gatewaySettings.ts';
import type { AuthFile } from './schema.ts';

/** Keys that are named and not set are errors: others of our own making would sign in their place. */
export function parseKeys(
	{ encryptionSettings: names, 'x-gateway': own }: AuthFile,
	env: NodeJS.ProcessEnv,
	problems: Problems,
): GatewaySettings['keys'] {
	const key = (path: string, named: string | undefined, standard: string): string | undefined => {
		const name = named ?? standard;
		const value = env[name];
		// Keys of its own making would sign what the named ones were meant to.
		if (value === undefined && named !== undefined) {
			problems.error(path, `names the environment variable ${name}, which is not set.`);
		}
		const weak = value === undefined ? undefined : hexKeyProblem(value);
		if (weak !== undefined) problems.error(path, `${name} ${weak}`);
		return value;
	};
	const signing = 'encryptionSettings.containerAppAuthSigningSecretName';
	const encryption = 'encryptionSettings.containerAppAuthEncryptionSecretName';
	const signingKey = key(
		signing,
		names.containerAppAuthSigningSecretName,
		'WEBSITE_AUTH_SIGNING_KEY',
	);
	const encryptionKey = key(
		encryption,
		names.containerAppAuthEncryptionSecretName,
		'WEBSITE_AUTH_ENCRYPTION_KEY',
	);
	if ((signingKey === undefined) !== (encryptionKey === undefined)) {
		problems.error(
			signingKey === undefined ? signing : encryption,
			'is missing: the signing key and the encryption key go together.',
		);
	}
	return {
		file: own.keysFile,
		signingKey,
		encryptionKey,
		userIdKey: key(
			'x-gateway.userIdKeySettingName',
			own.userIdKeySettingName,
			'NEARGLOT_USER_ID_KEY',
		),
	};
}
