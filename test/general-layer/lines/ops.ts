import type { WarningLines } from './types.js';

const MAIN = 'shop/src/main/java/com/shop/OrderJob.java';

/** Deployment, scripts, dependencies and tests. */
export const OPS_LINES: WarningLines = {
  'g-cron-every-second': {
    bad: ['@Scheduled(cron = "* * 2 * * ?")', "cron: '* * * * * ?'", '@Scheduled(cron = "* 30 2 * * *")'],
    good: [
      '@Scheduled(cron = "0 0/5 * * * ?")',
      "cron: '0 * * * * ?'",
      '*/5 * * * * /opt/backup.sh',
      "cron.schedule('* * * * *', run);",
    ],
  },
  'g-scheduled-in-cluster': {
    path: MAIN,
    bad: ['@Scheduled(cron = "0 0 3 * * ?")', '    @Scheduled(fixedDelay = 60000)', '  @Scheduled (fixedRate = 5000)'],
    good: [
      '@XxlJob("closeOrder")',
      'import org.springframework.scheduling.annotation.Scheduled;',
      '@EnableScheduling',
      '// @Scheduled(cron = "0 0 3 * * ?")',
    ],
  },
  'g-image-latest': {
    path: 'deploy/docker-compose.yml',
    bad: ['    image: shop/order:latest', '    image: minio/minio', 'FROM alpine:latest', 'docker run -d nginx:latest'],
    good: [
      '    image: shop/order:1.8.2',
      '    image: mysql:8.4',
      'FROM alpine:3.20',
      'FROM base AS build',
      'FROM scratch',
    ],
  },
  'g-dependency-floating': {
    path: 'package.json',
    bad: [
      "implementation 'com.shop:pay-sdk:+'",
      'requests>=2.0',
      '    "axios": "*",',
      '    "vue": "latest"',
      '    "xlsx": ">=0.17.0",',
      '<version>LATEST</version>',
    ],
    good: ['    "axios": "^1.7.2",', '    "node": ">=20",', '    "name": "shop",', '<version>2.7.18</version>'],
  },
  'g-insecure-registry': {
    path: '.npmrc',
    bad: [
      '<url>http://nexus.shop.com/repository/maven-public/</url>',
      'pip install -i http://pypi.shop.com/simple flask',
      "maven { url 'http://nexus.shop.com/public' }",
      'registry=http://npm.shop.com/',
      '@shop:registry=http://10.0.0.8:4873/',
      'npm install --registry=http://npm.shop.com',
    ],
    good: [
      'registry=https://npm.shop.com/',
      'registry=http://localhost:4873/',
      'strict-ssl=true',
      'npm config set registry https://npm.shop.com',
    ],
  },
  'g-registry-token-committed': {
    path: '.npmrc',
    bad: [
      'password: deploy2026',
      '"token": "ghx0123456789"',
      '//npm.shop.com/:_authToken=npm_AbCdEf0123456789',
      '_auth=c2hvcDpzaG9w',
      '<password>deploy2026</password>',
    ],
    good: [
      '//npm.shop.com/:_authToken=${NPM_TOKEN}',
      'always-auth=true',
      '<password>${env.REPO_PASSWORD}</password>',
      'registry=https://npm.shop.com/',
    ],
  },
  'g-docker-privileged': {
    path: 'deploy/docker-compose.yml',
    bad: [
      '  allowPrivilegeEscalation: true',
      '    privileged: true',
      'docker run --privileged -d shop/agent',
      '      - /var/run/docker.sock:/var/run/docker.sock',
    ],
    good: [
      '    privileged: false',
      'docker run --cap-add NET_ADMIN -d shop/agent',
      '      - ./data:/data',
      '      # - /var/run/docker.sock:/var/run/docker.sock',
    ],
  },
  'g-db-port-published': {
    path: 'deploy/docker-compose.yml',
    bad: ['      - "3306"', '      - "3306:3306"', '      - 16379:6379', 'docker run -d -p 3306:3306 mysql:8.4'],
    good: [
      '      - "127.0.0.1:3306:3306"',
      '      - "8080:8080"',
      '      - redis',
      'docker run -d -p 127.0.0.1:6379:6379 redis:7',
    ],
  },
  'g-chmod-777': {
    path: 'deploy/install.sh',
    bad: ['umask 000', 'chmod -R 777 /data/upload', 'chmod 777 logs', 'os.chmod(path, 0o777)'],
    good: ['chmod 755 bin/start.sh', 'chmod +x run.sh', 'chmod 600 key.pem', 'const port = 7777;'],
  },
  'g-rm-rf-variable': {
    path: 'deploy/clean.sh',
    bad: ['rm -rf $APP_HOME/logs', 'rm -rf "${DIR}/"*', 'sudo rm -rf $BUILD/'],
    good: ['rm -rf "${DIR:?}/logs"', 'rm -rf ./dist', '# rm -rf $APP_HOME/logs', 'rm -f $PID_FILE'],
  },
  'g-git-push-force': {
    path: 'scripts/release.sh',
    bad: [
      'git push --force origin main',
      'git push -f',
      'git push origin +main',
      "execFileSync('git', ['push', '--force', 'origin']);",
    ],
    good: [
      'git push origin main',
      'git push --force-with-lease origin feature/a',
      'git push --tags',
      'git push origin feature-f',
    ],
  },
  'g-curl-pipe-shell': {
    path: 'deploy/install.sh',
    bad: [
      'bash <(curl -sL https://a.com/i.sh)',
      'curl -sSL https://get.shop.com/install.sh | bash',
      'wget -qO- https://a.com/i.sh | sudo sh',
      'bash -c "$(curl -fsSL https://a.com/i.sh)"',
    ],
    good: [
      'curl -fsSLo install.sh https://get.shop.com/install.sh',
      'curl -s https://a.com/v | jq .version',
      '# curl https://a.com/i.sh | sh',
      'bash install.sh',
    ],
  },
  'g-jdbc-plain-connection': {
    path: 'src/main/resources/application-prod.yml',
    bad: [
      'url: jdbc:mysql://db:3306/shop?useSSL=false',
      'url: jdbc:mysql://10.0.0.3:3306/shop?useUnicode=true&allowPublicKeyRetrieval=true',
      'url: jdbc:mysql://db/shop?sslMode=DISABLED',
    ],
    good: [
      'url: jdbc:mysql://db:3306/shop?sslMode=VERIFY_CA',
      'url: jdbc:mysql://localhost:3306/shop?useSSL=false',
      'url: jdbc:mysql://db:3306/shop?useSSL=true',
      'url: jdbc:postgresql://db/shop',
    ],
  },
  'g-directory-listing': {
    path: 'deploy/nginx.conf',
    bad: ['    autoindex on;', 'Options +Indexes FollowSymLinks', "app.use('/files', serveIndex('files'));"],
    good: [
      '    autoindex off;',
      'Options -Indexes +FollowSymLinks',
      "app.use('/files', express.static('files'));",
      '    index index.html;',
    ],
  },
  'g-test-disabled': {
    path: 'src/test/java/com/shop/OrderServiceTest.java',
    bad: [
      '    @Disabled',
      '@Ignore("以后再看")',
      "  it.skip('退款', () => {",
      '    @pytest.mark.skip',
      '    t.Skip("flaky")',
    ],
    good: [
      '    @Test',
      '@Disabled("SHOP-123 渠道沙箱停机")',
      "  it('退款', () => {",
      '    @pytest.mark.skipif(not HAS_REDIS, reason="redis")',
      '    t.Skip("skipped in short mode")',
    ],
  },
  'g-test-only': {
    path: 'test/refund.test.ts',
    bad: ["  it.only('退款', () => {", "describe.only('订单', () => {", "  fit('关单', () => {"],
    good: ["  it('退款', () => {", 'fitAddon.fit();', "test.each([1, 2])('n', run);", "describe('only paid', () => {"],
  },
  'g-test-cannot-fail': {
    path: 'test/refund.test.ts',
    bad: [
      'assert.True(t, true)',
      'assertTrue(true);',
      'expect(true).toBe(true);',
      '    assert True',
      'assertEquals(order, order);',
    ],
    good: [
      'assertTrue(order.isPaid());',
      'expect(order.paid).toBe(true);',
      '    assert order.paid is True',
      'assertEquals(expected, order);',
    ],
  },
  'g-test-prints-instead': {
    path: 'shop/src/test/java/com/shop/DateUtilTest.java',
    bad: ['System.out.println(DateUtil.today());', '    System.out.print(result);', 'System.err.println(list);'],
    good: [
      'assertThat(DateUtil.today()).isEqualTo(expected);',
      '// System.out.println(result);',
      'log.debug("{}", result);',
      'out.println(result);',
    ],
  },
};
