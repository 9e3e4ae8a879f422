/** The `identityProviders` section of the settings file. */

import * as z from 'zod';
import {
	addressSetting,
	choice,
	flag,
	list,
	objectSetting,
	openSection,
	optionalFlag,
	sectionSetting,
	textSetting,
} from './schemaFields.ts';

const endpoints = sectionSetting({
	issuer: addressSetting('Expected issuer'),
	discovery: addressSetting('OpenID Connect discovery document'),
	authorization: addressSetting('Authorization endpoint'),
	token: addressSetting('Token endpoint'),
	userInfo: addressSetting('User information endpoint'),
	jwks: addressSetting('Signing keys'),
	endSession: addressSetting('Sign-out endpoint'),
	revocation: addressSetting('Token revocation endpoint'),
	requestToken: addressSetting('OAuth 1.0a request token endpoint'),
	debugToken: addressSetting('Token inspection endpoint'),
	emails: addressSetting('List of verified addresses'),
}).describe('Addresses that replace the built-in ones');
const own = {
	enabled: flag('Turns the provider on', true),
	'x-label': textSetting('Name shown to users'),
	'x-endpoints': endpoints,
};
const credentials = {
	clientId: textSetting('Client id of the app registration'),
	clientSecretSettingName: textSetting('Environment variable that holds the client secret'),
};
const scopes = sectionSetting({ scopes: list('Scopes to ask for') });
const audiences = sectionSetting({
	allowedAudiences: list('Audiences accepted beside the client id'),
});
const groups = 'Group ids that may sign in';
const identities = 'User ids or verified e-mail addresses that may sign in';
/** A list that is there names somebody: an empty one would keep nobody out. */
const somebody = (description: string) =>
	z.array(z.string().min(1)).min(1).optional().describe(description);
const principals = objectSetting({ groups: somebody(groups), identities: somebody(identities) })
	.refine(
		(lists) => Object.keys(lists).length > 0,
		'must hold one of groups, identities: leave it out, or fill it.',
	)
	.meta({ minProperties: 1 })
	.optional();

const customProvider = objectSetting({
	...own,
	registration: sectionSetting({
		clientId: textSetting('Client id'),
		clientCredential: sectionSetting({
			method: choice(['ClientSecretPost', 'ClientSecretBasic'], 'How the secret is sent'),
			clientSecretSettingName: textSetting('Environment variable that holds the client secret'),
		}),
		openIdConnectConfiguration: sectionSetting({
			authorizationEndpoint: addressSetting('Authorization endpoint'),
			tokenEndpoint: addressSetting('Token endpoint'),
			issuer: addressSetting('Issuer'),
			certificationUri: addressSetting('Signing keys'),
			wellKnownOpenIdConfiguration: addressSetting('Discovery document'),
		}),
	}),
	login: sectionSetting({
		nameClaimType: textSetting('Claim that holds the display name'),
		scopes: list('Scopes to ask for'),
		loginParameterNames: list('Query parameters a login link may pass to the provider'),
	}),
	validation: audiences,
	'x-allowedPrincipals': principals,
});
const customProviders = z.record(z.string(), customProvider).default({});

/** Providers beside those of one's own, by their names in the file. */
const builtinProviders = {
	azureActiveDirectory: objectSetting({
		...own,
		isAutoProvisioned: optionalFlag('Written by the portal; has no effect'),
		'x-editorSession': objectSetting({
			scopes: list('Scopes the editor asks for, such as api://CLIENT-ID/access'),
		})
			.optional()
			.describe('Lets editors bring the Microsoft session they have; they ask once'),
		registration: sectionSetting({
			openIdIssuer: addressSetting('Issuer of the tenant'),
			...credentials,
			clientSecretCertificateThumbprint: textSetting('Not supported'),
			clientSecretCertificateSubjectAlternativeName: textSetting('Not supported'),
			clientSecretCertificateIssuer: textSetting('Not supported'),
		}),
		login: sectionSetting({
			loginParameters: list('name=value pairs sent with every login'),
			disableWWWAuthenticate: flag('Leaves WWW-Authenticate out of 401 answers', false),
		}),
		validation: sectionSetting({
			allowedAudiences: list('Audiences accepted beside the client id'),
			jwtClaimChecks: sectionSetting({
				allowedGroups: list('Group ids that may sign in'),
				allowedClientApplications: list('Client applications that may call'),
			}),
			defaultAuthorizationPolicy: sectionSetting({
				/** The published form, in which no list and an empty one are the same. */
				allowedPrincipals: sectionSetting({ groups: list(groups), identities: list(identities) }),
				allowedApplications: list('Client applications that may call'),
			}),
		}),
	}),
	facebook: objectSetting({
		...own,
		registration: sectionSetting({
			appId: textSetting('App id'),
			appSecretSettingName: textSetting('Environment variable that holds the app secret'),
		}),
		graphApiVersion: textSetting('Version segment such as v19.0'),
		login: scopes,
		'x-allowedPrincipals': principals,
	}),
	gitHub: objectSetting({
		...own,
		registration: sectionSetting(credentials),
		login: scopes,
		'x-allowedPrincipals': principals,
	}),
	google: objectSetting({
		...own,
		registration: sectionSetting(credentials),
		login: scopes,
		validation: audiences,
		'x-allowedPrincipals': principals,
	}),
	twitter: objectSetting({
		...own,
		registration: sectionSetting({
			consumerKey: textSetting('Consumer key'),
			consumerSecretSettingName: textSetting('Environment variable that holds the consumer secret'),
		}),
		'x-allowedPrincipals': principals,
	}),
	apple: objectSetting({
		...own,
		registration: sectionSetting(credentials),
		login: scopes,
		'x-allowedPrincipals': principals,
	}),
	legacyMicrosoftAccount: objectSetting({
		...own,
		registration: sectionSetting(credentials),
		login: scopes,
		validation: audiences,
		'x-acceptUnboundAccessTokens': flag('Accepts access tokens, which name no audience', false),
		'x-allowedPrincipals': principals,
	}),
};

/** An empty section is none; the platform's interface writes such. */
const orEmpty = <S extends z.ZodObject>(found: S) =>
	z.preprocess((value) => (isEmpty(value) ? undefined : value), found.optional());
const isEmpty = (value: unknown): boolean =>
	typeof value === 'object' && value !== null && Object.keys(value).length === 0;

export const identityProviders = sectionSetting({
	azureActiveDirectory: orEmpty(builtinProviders.azureActiveDirectory),
	facebook: orEmpty(builtinProviders.facebook),
	gitHub: orEmpty(builtinProviders.gitHub),
	google: orEmpty(builtinProviders.google),
	twitter: orEmpty(builtinProviders.twitter),
	apple: orEmpty(builtinProviders.apple),
	legacyMicrosoftAccount: orEmpty(builtinProviders.legacyMicrosoftAccount),
	customOpenIdConnectProviders: customProviders,
	openIdConnectProviders: customProviders,
	azureStaticWebApps: openSection({
		enabled: optionalFlag('Not supported'),
		registration: z.unknown().optional(),
	}),
});

export type IdentityProviders = z.output<typeof identityProviders>;
export type CustomProvider = z.output<typeof customProvider>;
export type Directory = z.output<typeof builtinProviders.azureActiveDirectory>;
