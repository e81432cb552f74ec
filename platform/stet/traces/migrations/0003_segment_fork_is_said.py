from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("policies", "0001_policy_versions"),
        ("projects", "0001_projects"),
        ("traces", "0002_socket_tickets"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="segment",
            name="segment_root_or_fork",
        ),
        migrations.AddConstraint(
            model_name="segment",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("fork_at__isnull", True), ("parent__isnull", True), ("start", 0)),
                    models.Q(
                        ("fork_at__gte", 1),
                        ("fork_at__isnull", False),
                        ("parent__isnull", False),
                        ("start__gte", 1),
                    ),
                    _connector="OR",
                ),
                name="segment_root_or_fork",
            ),
        ),
    ]
