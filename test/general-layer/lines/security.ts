import type { WarningLines } from './types.js';

/** Keys, passwords, identity, and what a server must not open. */
export const SECURITY_LINES: WarningLines = {
  'g-tls-verify-disabled': {
    bad: [
      '.setSSLHostnameVerifier(NoopHostnameVerifier.INSTANCE)',
      'curl_setopt($ch, CURLOPT_SSL_VERIFYPEER, false);',
      'const agent = new https.Agent({ rejectUnauthorized: false });',
      "process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';",
      'requests.get(url, verify=False)',
      'TLSClientConfig: &tls.Config{InsecureSkipVerify: true}',
      'curl -s -k https://pay.internal/health',
      'public void checkServerTrusted(X509Certificate[] chain, String type) {}',
    ],
    good: [
      'const agent = new https.Agent({ rejectUnauthorized: true, ca });',
      'requests.get(url, verify="/etc/ssl/ca.pem")',
      'curl -s https://pay.internal/health',
      'const verified = verify(signature);',
      'import org.apache.http.conn.ssl.NoopHostnameVerifier;',
      '# verify=False would persist',
    ],
  },
  'g-secret-in-code': {
    bad: [
      'accessKeyId: "LTAI0000000000000000"',
      '-----BEGIN RSA PRIVATE KEY-----',
      "const appSecret = 'c0ffee5ca1ab1e00decade00facade99';",
      'api_key: "9f8e7d6c5b4a39281706f5e4d3c2b1a0"',
    ],
    good: [
      'const appSecret = process.env.APP_SECRET;',
      "password: 'your-password-goes-here-please',",
      "const token = await fetchToken('merchant');",
      "label: 'password'",
      'secret: ${PAY_SECRET}',
      "errorPassword: 'please-enter-a-valid-password',",
    ],
  },
  'g-secret-in-config': {
    path: 'src/main/resources/application-prod.yml',
    bad: ['    password: Shop2026db', '  access-key-secret: a8f3k2m9x7q1', 'spring.redis.password=r3disPass'],
    good: [
      '    password: ${DB_PASSWORD}',
      '    password:',
      '  access-key-secret: 你的密钥',
      '  client-secret: 1f7d08**********29e',
      '    password: ENC(8fk2mzQ)',
      'url: jdbc:mysql://db:3306/shop',
    ],
  },
  'g-weak-password-hash': {
    bad: [
      'const hash = md5(user.password);',
      "crypto.createHash('md5').update(password).digest('hex')",
      'hashlib.md5(password.encode())',
      'DigestUtils.md5Hex(pwd)',
    ],
    good: [
      'const hash = await bcrypt.hash(password, 12);',
      "crypto.createHash('md5').update(fileBytes).digest('hex')",
      'const etag = md5(body);',
      'String hash = passwordEncoder.encode(password);',
    ],
  },
  'g-random-for-secret': {
    bad: [
      'String token = RandomStringUtils.randomAlphanumeric(32);',
      'const smsCode = Math.random().toString().slice(2, 8);',
      'token: Math.random().toString(36),',
      'String verifyCode = String.valueOf(new Random().nextInt(900000) + 100000);',
      'sms_code = str(random.randint(100000, 999999))',
    ],
    good: [
      'const color = Math.random();',
      "const token = crypto.randomBytes(16).toString('hex');",
      'String verifyCode = String.valueOf(SECURE_RANDOM.nextInt(900000) + 100000);',
      'token = secrets.token_urlsafe(32)',
    ],
  },
  'g-weak-cipher': {
    bad: [
      'SecretKeyFactory.getInstance("DES")',
      'Cipher.getInstance("AES/ECB/PKCS5Padding")',
      "crypto.createCipheriv('aes-128-ecb', key, null)",
      'AES.new(key, AES.MODE_ECB)',
      'Cipher.getInstance("DES")',
      '  mode: CryptoJS.mode.ECB,',
    ],
    good: [
      'Cipher.getInstance("AES/GCM/NoPadding")',
      "crypto.createCipheriv('aes-256-gcm', key, iv)",
      'DESCRIBE orders',
      'KeyGenerator keyGen = KeyGenerator.getInstance("AES");',
    ],
  },
  'g-fixed-iv': {
    bad: [
      'IvParameterSpec iv = new IvParameterSpec("0102030405060708".getBytes());',
      "const iv = Buffer.from('1234567890123456');",
      'iv = b"0000000000000000"',
      "const cipher = crypto.createCipheriv('aes-256-cbc', key, '1234567890123456');",
    ],
    good: [
      'IvParameterSpec iv = new IvParameterSpec(random);',
      'const iv = crypto.randomBytes(12);',
      'iv = os.urandom(16)',
      'const iv = payload.subarray(0, 12);',
    ],
  },
  'g-jwt-secret-in-code': {
    bad: [
      "const token = jwt.sign({ id: user.id }, 'mall-secret');",
      '.signWith(SignatureAlgorithm.HS512, "abcdefg")',
      'Algorithm algorithm = Algorithm.HMAC256("shop");',
      'return token.SignedString([]byte("gva"))',
    ],
    good: [
      'const token = jwt.sign({ id: user.id }, process.env.JWT_SECRET);',
      '.signWith(key, Jwts.SIG.HS512)',
      'Algorithm algorithm = Algorithm.HMAC256(properties.getSecret());',
      'return token.SignedString(j.SigningKey)',
    ],
  },
  'g-jwt-not-verified': {
    bad: [
      'claims = jwt.decode(token, options={"verify_signature": False})',
      "const header = { typ: 'JWT', alg: 'none' };",
      'const payload = jwt.decode(token);',
      'token, _, err := parser.ParseUnverified(raw, claims)',
    ],
    good: [
      'claims = jwt.decode(token, key, algorithms=["HS256"])',
      "const payload = jwt.verify(token, secret, { algorithms: ['HS256'] });",
      'DecodedJWT jwt = verifier.verify(token);',
      "display: 'none',",
    ],
  },
  'g-plain-password-compare': {
    bad: [
      'if (form.getPassword().equals(user.getPassword())) {',
      'if (!password.equals(user.getPassword())) {',
      'if (user.password === req.body.password) {',
      'select * from user where name = ? and password = ?',
    ],
    good: [
      'if (passwordEncoder.matches(form.getPassword(), user.getPassword())) {',
      'if (!form.getPassword().equals(confirmPassword)) {',
      'const ok = await bcrypt.compare(password, user.passwordHash);',
      'update user set password = ? where id = ?',
    ],
  },
  'g-default-password': {
    bad: [
      "const password = '123456';",
      'user.setPassword(passwordEncoder.encode("123456"));',
      '  adminPassword: "admin123"',
    ],
    good: [
      "password: 'Password',",
      'user.setPassword(passwordEncoder.encode(randomPassword()));',
      "const code = '123456';",
      "adminPassword: '',",
    ],
  },
  'g-verify-code-exposed': {
    bad: [
      'return Result.success(smsCode);',
      'res.json({ code: 0, smsCode });',
      'log.info("send sms, phone={}, code={}", mask(phone), verifyCode);',
      'log.debug("发送验证码：{}", code);',
    ],
    good: [
      'return Result.success("验证码已发送");',
      'res.json({ code: 0, verifyCode: null });',
      'log.info("sms sent, bizId={}", bizId);',
      'redis.set(key, smsCode, 300);',
    ],
  },
  'g-old-tls-version': {
    path: 'deploy/nginx.conf',
    bad: [
      'ssl_protocols TLSv1 TLSv1.1 TLSv1.2;',
      'SSLContext ctx = SSLContext.getInstance("SSL");',
      'MinVersion: tls.VersionTLS10,',
      "minVersion: 'TLSv1',",
    ],
    good: [
      'ssl_protocols TLSv1.2 TLSv1.3;',
      'SSLContext ctx = SSLContext.getInstance("TLS");',
      'MinVersion: tls.VersionTLS12,',
      "minVersion: 'TLSv1.2',",
    ],
  },
  'g-cors-any-origin': {
    bad: [
      'config.addAllowedOriginPattern("*");',
      'response.setHeader("Access-Control-Allow-Origin", "*");',
      '@CrossOrigin',
      "app.use(cors({ origin: '*', credentials: true }));",
      'CORS_ALLOW_ALL_ORIGINS = True',
    ],
    good: [
      'config.addAllowedOriginPattern("https://*.shop.com");',
      'response.setHeader("Access-Control-Allow-Origin", origin);',
      '@CrossOrigin(origins = "https://admin.shop.com")',
      'app.use(cors({ origin: allowed, credentials: true }));',
      'config.addAllowedHeader("*");',
    ],
  },
  'g-permit-all-too-wide': {
    bad: [
      '.antMatchers("/**").permitAll()',
      '.requestMatchers("/admin/**").permitAll()',
      '.anyRequest().permitAll();',
      '.excludePathPatterns("/**");',
    ],
    good: [
      '.requestMatchers("/login", "/captcha").permitAll()',
      '.antMatchers(HttpMethod.OPTIONS, "/**").permitAll()',
      '.anyRequest().authenticated();',
      '.excludePathPatterns("/login", "/notify/**");',
    ],
  },
  'g-actuator-exposed': {
    path: 'src/main/resources/application.yml',
    bad: [
      'management.security.enabled=false',
      '        include: "*"',
      "include: '*'",
      'management.endpoints.web.exposure.include=*',
    ],
    good: [
      '        include: health,info',
      'management.endpoints.web.exposure.include=health',
      'includes: "*.xml"',
      '  show-details: never',
    ],
  },
  'g-druid-monitor-open': {
    path: 'src/main/resources/application.yml',
    bad: [
      'bean.addInitParameter("loginPassword", "admin");',
      '        login-password: 123456',
      '          loginPassword: druid',
      'spring.datasource.druid.stat-view-servlet.allow=',
    ],
    good: [
      '        login-password: ${DRUID_PASSWORD}',
      '        login-username: admin',
      'spring.datasource.druid.stat-view-servlet.allow=127.0.0.1',
      '        enabled: false',
    ],
  },
  'g-debug-in-prod': {
    path: 'app/settings.py',
    bad: [
      "ini_set('display_errors', '1'); display_errors = On",
      'DEBUG = True',
      'app.run(host="0.0.0.0", debug=True)',
      'APP_DEBUG=true',
      'server.error.include-stacktrace=always',
    ],
    good: [
      'DEBUG = env.bool("DEBUG", False)',
      'app.run(host="0.0.0.0", port=8000)',
      'APP_DEBUG=false',
      'server.error.include-stacktrace=never',
    ],
  },
};
