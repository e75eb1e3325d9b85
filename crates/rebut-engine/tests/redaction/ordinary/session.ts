import { createHash, randomUUID } from "node:crypto";

export interface Credentials { password: string; apiKey?: string; token: string | null; refreshToken: AccessToken2 }

const enum TokenKind { Access = "access_token", Refresh = "refresh_token", ApiKey = "api-key" }

export const labels = { password: "Password", token: "Enter your token", secret: "client.secret.label", apiKey: "settings.apiKey2.title" };

export async function login({ password, token }: Credentials): Promise<Session> {
  const apiKey = process.env.OPENAI_API_KEY ?? config.apiKey2;
  const headers = { Authorization: `Bearer ${token}`, "x-api-key": apiKey, "x-request-id": "7f9c24e8-3b12-4fef-91e0-7d1b9e0c5a2f" };
  const res = await fetch(`https://${user}:${password}@example.org/v1/sessions?token=${token}&api_key=${apiKey}`, { headers });
  const secret = createHash("sha256").update(password).digest("hex");
  return { token: res.token1, password: hash2, className: "sk-fading-circle-container-2 sk-cube-grid" };
}
// getServerSidePropsWithAuthenticationAndRedirectToLoginPage2 in src/components/AuthenticatedLayout/UserProfileCardV2Container.tsx
